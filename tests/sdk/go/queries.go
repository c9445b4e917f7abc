package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

var queryScenarios = []scenario{
	{"query.filter", inQueried(filter)},
	{"query.paging", inQueried(paging)},
	{"query.one_key", inQueried(oneKey)},
	{"query.resume", inQueried(resume)},
	{"query.read_many", inQueried(readMany)},
	{"query.refused", inQueried(refusedQueries)},
}

const itemCount = 60

var allKeys = azcosmos.NewPartitionKey()

func queriedID(n int) string { return fmt.Sprintf("q-%02d", n) }

// inQueried runs body over 60 items under 12 keys.
func inQueried(body func(context.Context, *azcosmos.ContainerClient) error) func(context.Context) error {
	return inContainer(func(ctx context.Context, items *azcosmos.ContainerClient) error {
		for n := range itemCount {
			pk := fmt.Sprintf("key-%d", n%12)
			text := fmt.Sprintf(`{"id":%q,"pk":%q,"n":%d,"tags":["all","tag-%d"]}`, queriedID(n), pk, n*37%60, n%4)
			if _, err := items.CreateItem(ctx, key(pk), []byte(text), nil); err != nil {
				return err
			}
		}
		return body(ctx, items)
	})
}

// rows reads all pages; `each` sees them one by one.
func rows(ctx context.Context, items *azcosmos.ContainerClient, query string, pk azcosmos.PartitionKey,
	options *azcosmos.QueryOptions, each func(azcosmos.QueryItemsResponse) error) ([]string, error) {
	found := []string{}
	pager := items.NewQueryItemsPager(query, pk, options)
	for pager.More() {
		page, err := pager.NextPage(ctx)
		if err != nil {
			return nil, err
		}
		for _, row := range page.Items {
			found = append(found, strings.Trim(string(row), `"`))
		}
		if each != nil {
			if err := each(page); err != nil {
				return nil, err
			}
		}
	}
	return found, nil
}

func wanted(keep func(n int) bool) []string {
	ids := []string{}
	for n := range itemCount {
		if keep(n) {
			ids = append(ids, queriedID(n))
		}
	}
	return ids
}

func same(what string, got []string, want []string) error {
	sorted := slices.Clone(got)
	slices.Sort(sorted)
	return expect(what, strings.Join(sorted, " "), strings.Join(want, " "))
}

func filter(ctx context.Context, items *azcosmos.ContainerClient) error {
	options := &azcosmos.QueryOptions{QueryParameters: []azcosmos.QueryParameter{
		{Name: "@low", Value: 10}, {Name: "@high", Value: 25}}}
	found, err := rows(ctx, items, "SELECT VALUE c.id FROM c WHERE c.n >= @low AND c.n < @high", allKeys, options, nil)
	if err != nil {
		return err
	}
	joined, err := rows(ctx, items, `SELECT VALUE c.id FROM c JOIN t IN c.tags WHERE t = "tag-3"`, allKeys, nil, nil)
	return first(err,
		same("filtered", found, wanted(func(n int) bool { return n*37%60 >= 10 && n*37%60 < 25 })),
		same("joined", joined, wanted(func(n int) bool { return n%4 == 3 })))
}

func paging(ctx context.Context, items *azcosmos.ContainerClient) error {
	for _, size := range []int32{1, 7, -1} {
		found, err := rows(ctx, items, "SELECT VALUE c.id FROM c", allKeys, &azcosmos.QueryOptions{PageSizeHint: size},
			func(page azcosmos.QueryItemsResponse) error {
				return expect("page size", size < 0 || len(page.Items) <= int(size), true)
			})
		if err := first(err, same("all", found, wanted(func(int) bool { return true }))); err != nil {
			return err
		}
	}
	return nil
}

func oneKey(ctx context.Context, items *azcosmos.ContainerClient) error {
	found, err := rows(ctx, items, "SELECT VALUE c.id FROM c", key("key-3"), nil, nil)
	if err != nil {
		return err
	}
	one := false
	filtered, err := rows(ctx, items, `SELECT VALUE c.id FROM c WHERE c.pk = "key-3"`, allKeys,
		&azcosmos.QueryOptions{EnableCrossPartitionQuery: &one}, nil)
	if err != nil {
		return err
	}
	ordered, err := rows(ctx, items, "SELECT VALUE c.n FROM c ORDER BY c.n DESC", key("key-3"), nil, nil)
	if err != nil {
		return err
	}
	counted, err := rows(ctx, items, "SELECT VALUE COUNT(1) FROM c", key("key-3"), nil, nil)
	_, all := rows(ctx, items, "SELECT VALUE c.id FROM c", allKeys,
		&azcosmos.QueryOptions{EnableCrossPartitionQuery: &one}, nil)
	_, merged := rows(ctx, items, "SELECT VALUE c.id FROM c ORDER BY c.n", allKeys, nil, nil)
	ofKey := wanted(func(n int) bool { return n%12 == 3 })
	return first(err, same("by key", found, ofKey), same("by filter", filtered, ofKey),
		expect("ordered", strings.Join(ordered, " "), "51 39 27 15 3"),
		expect("counted", strings.Join(counted, " "), "5"), refused(all, 400), refused(merged, 400))
}

func resume(ctx context.Context, items *azcosmos.ContainerClient) error {
	seen := []string{}
	var token *string
	for {
		options := &azcosmos.QueryOptions{PageSizeHint: 2, ContinuationToken: token}
		page, err := items.NewQueryItemsPager("SELECT VALUE c.n FROM c ORDER BY c.n", key("key-3"), options).NextPage(ctx)
		if err != nil {
			return err
		}
		for _, row := range page.Items {
			seen = append(seen, string(row))
		}
		if token = page.ContinuationToken; token == nil {
			break
		}
		if len(seen) > itemCount {
			return errors.New("no end")
		}
	}
	return expect("resumed", strings.Join(seen, " "), "3 15 27 39 51")
}

func readMany(ctx context.Context, items *azcosmos.ContainerClient) error {
	identities := []azcosmos.ItemIdentity{{ID: "none", PartitionKey: key("key-0")}}
	for n := 0; n < itemCount; n += 2 {
		identities = append(identities,
			azcosmos.ItemIdentity{ID: queriedID(n), PartitionKey: key(fmt.Sprintf("key-%d", n%12))})
	}
	response, err := items.ReadManyItems(ctx, identities, nil)
	if err != nil {
		return err
	}
	found := []string{}
	for _, text := range response.Items {
		var got stored
		if err := json.Unmarshal(text, &got); err != nil {
			return err
		}
		found = append(found, got.ID)
	}
	return same("read", found, wanted(func(n int) bool { return n%2 == 0 }))
}

func refusedQueries(ctx context.Context, items *azcosmos.ContainerClient) error {
	for query, code := range map[string]string{"SELECT * FROM c WHERE": "SC1002", "SELEC * FROM c": "SC1001",
		"SELECT VALUE x FROM c": "SC2001", "SELECT VALUE NOPE(c.n) FROM c": "SC2005",
		"SELECT * FROM c ORDER BY LOWER(c.id)": "2206"} {
		_, err := rows(ctx, items, query, key("key-3"), nil, nil)
		if err := first(refused(err, 400), expect(query, err != nil && strings.Contains(err.Error(), code), true)); err != nil {
			return err
		}
	}
	return nil
}
