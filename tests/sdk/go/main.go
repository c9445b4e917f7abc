// The smoke suite with the Go SDK; ../scenarios.md describes the scenarios. This SDK does not merge query results, so
// it shows the server's own answers.
package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

type scenario struct {
	name string
	body func(context.Context) error
}

var client *azcosmos.Client

func main() {
	os.Exit(run())
}

func run() int {
	var err error
	if client, err = newClient(os.Getenv("ORRERY_KEY")); err != nil {
		fmt.Println("fail go: no client:", err)
		return 1
	}
	only := regexp.MustCompile(os.Getenv("ORRERY_SCENARIO"))
	failed := 0
	for _, each := range slices.Concat(resourceScenarios, offerScenarios, itemScenarios, batchScenarios, changeScenarios,
		queryScenarios, accessScenarios(), throttlingScenarios()) {
		if !only.MatchString(each.name) {
			continue
		}
		limited, cancel := context.WithTimeout(context.Background(), 60*time.Second)
		if err := each.body(limited); err != nil {
			failed = 1
			fmt.Printf("fail %s: %.400s\n", each.name, strings.Join(strings.Fields(err.Error()), " "))
		} else {
			fmt.Printf("pass %s\n", each.name)
		}
		cancel()
	}
	return failed
}

func newClient(key string) (*azcosmos.Client, error) {
	return newClientAt(os.Getenv("ORRERY_ENDPOINT"), key, -1)
}

// newClientAt makes a client with that many retries; 0: the default, -1: none.
func newClientAt(endpoint, key string, retries int32) (*azcosmos.Client, error) {
	credential, err := azcosmos.NewKeyCredential(key)
	if err != nil {
		return nil, err
	}
	options, err := clientOptions(retries)
	if err != nil {
		return nil, err
	}
	return azcosmos.NewClientWithKey(endpoint, credential, options)
}

func clientOptions(retries int32) (*azcosmos.ClientOptions, error) {
	certificate, err := os.ReadFile(os.Getenv("ORRERY_CERTIFICATE"))
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(certificate) {
		return nil, errors.New("no certificate in " + os.Getenv("ORRERY_CERTIFICATE"))
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}
	options := &azcosmos.ClientOptions{EnableContentResponseOnWrite: true}
	options.Transport = &http.Client{Transport: transport}
	options.Retry.MaxRetries = retries
	return options, nil
}

func otherKey() string {
	return base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7}, 64))
}

func randomID(prefix string) string {
	random := make([]byte, 6)
	if _, err := rand.Read(random); err != nil {
		panic(err)
	}
	return prefix + "-" + hex.EncodeToString(random)
}

// inDatabase runs body in a separate database and always deletes it.
func inDatabase(body func(context.Context, *azcosmos.DatabaseClient) error) func(context.Context) error {
	return func(ctx context.Context) (err error) {
		id := randomID("go")
		if _, err = client.CreateDatabase(ctx, azcosmos.DatabaseProperties{ID: id}, nil); err != nil {
			return err
		}
		database, err := client.NewDatabase(id)
		if err != nil {
			return err
		}
		defer func() {
			_, deleted := database.Delete(ctx, nil)
			err = errors.Join(err, deleted)
		}()
		return body(ctx, database)
	}
}

func inContainer(body func(context.Context, *azcosmos.ContainerClient) error) func(context.Context) error {
	return inDatabase(func(ctx context.Context, database *azcosmos.DatabaseClient) error {
		container, _, err := newContainer(ctx, database, "items", nil, "/pk")
		if err != nil {
			return err
		}
		return body(ctx, container)
	})
}

func newContainer(ctx context.Context, database *azcosmos.DatabaseClient, id string, options *azcosmos.CreateContainerOptions,
	paths ...string) (*azcosmos.ContainerClient, azcosmos.ContainerResponse, error) {
	definition := azcosmos.PartitionKeyDefinition{Paths: paths, Version: 2}
	response, err := database.CreateContainer(ctx,
		azcosmos.ContainerProperties{ID: id, PartitionKeyDefinition: definition}, options)
	if err != nil {
		return nil, response, err
	}
	container, err := database.NewContainer(id)
	return container, response, err
}

// refused turns the expected error into success and everything else into an error.
func refused(err error, status int) error {
	var answer *azcore.ResponseError
	if errors.As(err, &answer) && answer.StatusCode == status {
		return nil
	}
	return fmt.Errorf("wanted %d, got %v", status, err)
}

func expect(what string, got, want any) error {
	if got != want {
		return fmt.Errorf("%s: wanted %v, got %v", what, want, got)
	}
	return nil
}

// first returns the first error.
func first(problems ...error) error {
	for _, problem := range problems {
		if problem != nil {
			return problem
		}
	}
	return nil
}
