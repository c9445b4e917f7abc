package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

// Against a server that refuses what is beyond the throughput of a container.
func throttlingScenarios() []scenario {
	if os.Getenv("ORRERY_THROTTLED_ENDPOINT") == "" {
		return nil
	}
	return []scenario{
		{"throttling.retried", inThrottled(throttlingRetried)},
		{"throttling.surfaced", inThrottled(throttlingSurfaced)},
	}
}

type throttledBody func(ctx context.Context, patient, impatient *azcosmos.ContainerClient) error

// inThrottled gives body the same container through a client with the default retries and one without retries.
func inThrottled(body throttledBody) func(context.Context) error {
	return func(ctx context.Context) (err error) {
		id := randomID("go")
		containers := []*azcosmos.ContainerClient{}
		for _, retries := range []int32{0, -1} {
			client, err := newClientAt(os.Getenv("ORRERY_THROTTLED_ENDPOINT"), os.Getenv("ORRERY_KEY"), retries)
			if err != nil {
				return err
			}
			database, err := client.NewDatabase(id)
			if err != nil {
				return err
			}
			if len(containers) == 0 {
				if _, err := client.CreateDatabase(ctx, azcosmos.DatabaseProperties{ID: id}, nil); err != nil {
					return err
				}
				defer func() { _, _ = database.Delete(ctx, nil) }()
				if _, err := provisioned(ctx, database, "items", azcosmos.NewManualThroughputProperties(400)); err != nil {
					return err
				}
			}
			container, err := database.NewContainer("items")
			if err != nil {
				return err
			}
			containers = append(containers, container)
		}
		return body(ctx, containers[0], containers[1])
	}
}

// throttledItem costs about 100 request units.
func throttledItem(number int) []byte {
	item := map[string]any{"id": fmt.Sprint("item", number), "pk": "a"}
	for i := range 500 {
		item[fmt.Sprint("p", i)] = i
	}
	body, err := json.Marshal(item)
	if err != nil {
		panic(err)
	}
	return body
}

// throttledLarge costs what is earned in about three seconds.
func throttledLarge() []byte {
	return fmt.Appendf(nil, `{"id":"large","pk":"a","text":"%s"}`, strings.Repeat("x", 1_950_000))
}

func throttlingRetried(ctx context.Context, patient, _ *azcosmos.ContainerClient) error {
	const count = 16
	key := azcosmos.NewPartitionKeyString("a")
	started := time.Now()
	large, problem := patient.CreateItem(ctx, key, throttledLarge(), nil)
	done := make(chan error, count)
	for i := range count {
		go func() {
			_, err := patient.CreateItem(ctx, key, throttledItem(i), nil)
			done <- err
		}()
	}
	for range count {
		problem = first(problem, <-done)
	}
	seconds := float32(time.Since(started).Seconds())
	// 400 request units are there at once; before the rest is earned, nothing else is admitted.
	if problem == nil && (large.RequestCharge < 1000 || seconds < (large.RequestCharge-400)/400) {
		problem = fmt.Errorf("%g RU in %g s", large.RequestCharge, seconds)
	}
	for i := range count {
		_, err := patient.ReadItem(ctx, key, fmt.Sprint("item", i), nil)
		problem = first(problem, err)
	}
	return problem
}

func throttlingSurfaced(ctx context.Context, patient, impatient *azcosmos.ContainerClient) error {
	key := azcosmos.NewPartitionKeyString("a")
	if _, err := impatient.CreateItem(ctx, key, throttledLarge(), nil); err != nil {
		return err
	}
	_, err := impatient.CreateItem(ctx, key, []byte(`{"id":"refused","pk":"a"}`), nil)
	var answer *azcore.ResponseError
	if !errors.As(err, &answer) {
		return fmt.Errorf("wanted 429, got %v", err)
	}
	headers := answer.RawResponse.Header
	wait, err := strconv.Atoi(headers.Get("x-ms-retry-after-ms"))
	if err != nil || wait <= 0 || wait > 5000 {
		return fmt.Errorf("retry after %q", headers.Get("x-ms-retry-after-ms"))
	}
	_, missing := patient.ReadItem(ctx, key, "refused", nil) // waits
	return first(expect("status", answer.StatusCode, http.StatusTooManyRequests),
		expect("sub-status", headers.Get("x-ms-substatus"), "3200"),
		expect("charge", headers.Get("x-ms-request-charge"), "0.38"), refused(missing, http.StatusNotFound))
}
