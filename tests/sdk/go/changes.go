package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

var changeScenarios = []scenario{
	{"changes.start", inContainer(changesStart)},
	{"changes.scopes", inContainer(changesScopes)},
}

const changeKeys = 6

// fillChanges creates items and returns their ids.
func fillChanges(ctx context.Context, items *azcosmos.ContainerClient, from, count int) ([]string, error) {
	ids := []string{}
	for n := from; n < from+count; n++ {
		pk := fmt.Sprintf("key %d", n%changeKeys)
		text := fmt.Sprintf(`{"id":"%d","pk":%q}`, n, pk)
		if _, err := items.CreateItem(ctx, key(pk), []byte(text), nil); err != nil {
			return nil, err
		}
		ids = append(ids, fmt.Sprint(n))
	}
	return ids, nil
}

// changesOf reads until there is nothing new. It returns the ids and the continuation.
func changesOf(ctx context.Context, items *azcosmos.ContainerClient, options azcosmos.ChangeFeedOptions) ([]string, string, error) {
	options.MaxItemCount = 4
	ids := []string{}
	for {
		page, err := items.ReadChangeFeed(ctx, &options)
		if err != nil {
			return nil, "", err
		}
		options.Continuation = &page.ContinuationToken
		for _, row := range page.Items {
			var item struct {
				ID  string `json:"id"`
				Lsn int64  `json:"_lsn"`
			}
			if err := json.Unmarshal(row, &item); err != nil || item.Lsn <= 0 {
				return nil, "", fmt.Errorf("no item with _lsn: %s", row)
			}
			ids = append(ids, item.ID)
		}
		// It has asked all ranges.
		if page.RawResponse.StatusCode == http.StatusNotModified {
			return ids, page.ContinuationToken, nil
		}
	}
}

func sameIDs(what string, got, wanted []string) error {
	got, wanted = slices.Clone(got), slices.Clone(wanted)
	slices.Sort(got)
	slices.Sort(wanted)
	if !slices.Equal(got, wanted) {
		return fmt.Errorf("%s: wanted %v, got %v", what, wanted, got)
	}
	return nil
}

func changesStart(ctx context.Context, items *azcosmos.ContainerClient) error {
	all := &azcosmos.FeedRange{MinInclusive: "", MaxExclusive: "FF"}
	first, err := fillChanges(ctx, items, 0, 20)
	if err != nil {
		return err
	}
	ids, token, err := changesOf(ctx, items, azcosmos.ChangeFeedOptions{FeedRange: all})
	if err != nil {
		return err
	}
	if err := sameIDs("from the beginning", ids, first); err != nil {
		return err
	}
	time.Sleep(2100 * time.Millisecond)
	moment := time.Now()
	since, err := fillChanges(ctx, items, 20, 10)
	if err != nil {
		return err
	}
	if _, err := items.DeleteItem(ctx, key("key 4"), "4", nil); err != nil {
		return err
	}
	ids, _, err = changesOf(ctx, items, azcosmos.ChangeFeedOptions{FeedRange: all, StartFrom: &moment})
	if err != nil {
		return err
	}
	if err := sameIDs("from a time", ids, since); err != nil {
		return err
	}
	ids, _, err = changesOf(ctx, items, azcosmos.ChangeFeedOptions{Continuation: &token})
	if err != nil {
		return err
	}
	return sameIDs("from the continuation", ids, since)
}

func changesScopes(ctx context.Context, items *azcosmos.ContainerClient) error {
	all, err := fillChanges(ctx, items, 0, 30)
	if err != nil {
		return err
	}
	ranges, err := items.ReadFeedRanges(ctx, nil)
	if err != nil {
		return err
	}
	together := []string{}
	for _, each := range ranges {
		ids, _, err := changesOf(ctx, items, azcosmos.ChangeFeedOptions{FeedRange: &each})
		if err != nil {
			return err
		}
		together = append(together, ids...)
	}
	return sameIDs("of all ranges", together, all)
}
