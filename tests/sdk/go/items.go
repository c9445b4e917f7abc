package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

var itemScenarios = []scenario{
	{"item.create_read", inContainer(createRead)},
	{"item.replace", inContainer(replace)},
	{"item.upsert", inContainer(upsert)},
	{"item.delete", inContainer(deleteItem)},
	{"item.missing", inDatabase(missing)},
	{"item.conflict", inContainer(conflict)},
	{"item.same_id_other_key", inContainer(sameIDOtherKey)},
	{"item.etag_replace", inContainer(etagReplace)},
	{"item.etag_delete", inContainer(etagDelete)},
	{"item.no_content", inContainer(noContent)},
	{"key.hierarchical_two", inDatabase(hierarchical(2))},
	{"key.hierarchical_three", inDatabase(hierarchical(3))},
	{"response.headers", inContainer(responseHeaders)},
}

var (
	key = azcosmos.NewPartitionKeyString
	// This SDK requests minimal responses by default.
	withContent = &azcosmos.ItemOptions{EnableContentResponseOnWrite: true}
)

func item(id, pk string, n int) []byte {
	return []byte(fmt.Sprintf(`{"id":%q,"pk":%q,"n":%d}`, id, pk, n))
}

type stored struct {
	ID   string `json:"id"`
	PK   string `json:"pk"`
	N    int    `json:"n"`
	RID  string `json:"_rid"`
	Self string `json:"_self"`
	ETag string `json:"_etag"`
	TS   int64  `json:"_ts"`
}

func parse(response azcosmos.ItemResponse) (stored, error) {
	var result stored
	err := json.Unmarshal(response.Value, &result)
	return result, err
}

// readN reads an item and compares its n.
func readN(ctx context.Context, items *azcosmos.ContainerClient, pk azcosmos.PartitionKey, id string, want int) error {
	response, err := items.ReadItem(ctx, pk, id, nil)
	if err != nil {
		return err
	}
	got, err := parse(response)
	return first(err, expect("n", got.N, want))
}

func createRead(ctx context.Context, items *azcosmos.ContainerClient) error {
	created, err := items.CreateItem(ctx, key("p"), item("one", "p", 1), withContent)
	if err != nil {
		return err
	}
	read, err := items.ReadItem(ctx, key("p"), "one", nil)
	if err != nil {
		return err
	}
	got, err := parse(read)
	return first(err,
		expect("create", created.RawResponse.StatusCode, 201),
		expect("read", read.RawResponse.StatusCode, 200),
		expect("body", string(read.Value), string(created.Value)),
		expect("id", got.ID, "one"), expect("pk", got.PK, "p"), expect("n", got.N, 1),
		expect("etag", got.ETag, string(read.ETag)),
		expect("system properties", got.RID != "" && got.Self != "" && got.TS > 0, true))
}

func replace(ctx context.Context, items *azcosmos.ContainerClient) error {
	created, err := items.CreateItem(ctx, key("p"), item("one", "p", 1), nil)
	if err != nil {
		return err
	}
	replaced, err := items.ReplaceItem(ctx, key("p"), "one", item("one", "p", 2), nil)
	if err != nil {
		return err
	}
	_, absent := items.ReplaceItem(ctx, key("p"), "none", item("none", "p", 1), nil)
	return first(
		expect("status", replaced.RawResponse.StatusCode, 200),
		expect("same etag", replaced.ETag == created.ETag, false),
		readN(ctx, items, key("p"), "one", 2),
		refused(absent, 404))
}

func upsert(ctx context.Context, items *azcosmos.ContainerClient) error {
	for n, status := range []int{201, 200} {
		response, err := items.UpsertItem(ctx, key("p"), item("one", "p", n), nil)
		if err != nil {
			return err
		}
		if err := expect("status", response.RawResponse.StatusCode, status); err != nil {
			return err
		}
	}
	return readN(ctx, items, key("p"), "one", 1)
}

func deleteItem(ctx context.Context, items *azcosmos.ContainerClient) error {
	if _, err := items.CreateItem(ctx, key("p"), item("one", "p", 1), nil); err != nil {
		return err
	}
	deleted, err := items.DeleteItem(ctx, key("p"), "one", nil)
	if err != nil {
		return err
	}
	_, read := items.ReadItem(ctx, key("p"), "one", nil)
	_, again := items.DeleteItem(ctx, key("p"), "one", nil)
	return first(expect("status", deleted.RawResponse.StatusCode, 204), refused(read, 404), refused(again, 404))
}

func missing(ctx context.Context, database *azcosmos.DatabaseClient) error {
	items, _, err := newContainer(ctx, database, "items", nil, "/pk")
	if err != nil {
		return err
	}
	_, inContainer := items.ReadItem(ctx, key("p"), "none", nil)
	none, err := database.NewContainer("none")
	if err != nil {
		return err
	}
	_, inNone := none.ReadItem(ctx, key("p"), "none", nil)
	return first(refused(inContainer, 404), refused(inNone, 404))
}

func conflict(ctx context.Context, items *azcosmos.ContainerClient) error {
	if _, err := items.CreateItem(ctx, key("p"), item("one", "p", 1), nil); err != nil {
		return err
	}
	_, err := items.CreateItem(ctx, key("p"), item("one", "p", 2), nil)
	return first(refused(err, 409), readN(ctx, items, key("p"), "one", 1))
}

func sameIDOtherKey(ctx context.Context, items *azcosmos.ContainerClient) error {
	pairs := [][2]string{{"0001", "Marketing"}, {"0002", "Marketing"}, {"0001", "Sales"}}
	for n, pair := range pairs {
		if _, err := items.CreateItem(ctx, key(pair[1]), item(pair[0], pair[1], n), nil); err != nil {
			return err
		}
	}
	for n, pair := range pairs {
		if err := readN(ctx, items, key(pair[1]), pair[0], n); err != nil {
			return err
		}
	}
	_, err := items.CreateItem(ctx, key("Sales"), item("0001", "Sales", 9), nil)
	return refused(err, 409)
}

func etagReplace(ctx context.Context, items *azcosmos.ContainerClient) error {
	created, err := items.CreateItem(ctx, key("p"), item("one", "p", 0), nil)
	if err != nil {
		return err
	}
	condition := &azcosmos.ItemOptions{IfMatchEtag: &created.ETag}
	if _, err := items.ReplaceItem(ctx, key("p"), "one", item("one", "p", 1), condition); err != nil {
		return err
	}
	_, err = items.ReplaceItem(ctx, key("p"), "one", item("one", "p", 2), condition)
	return first(refused(err, 412), readN(ctx, items, key("p"), "one", 1))
}

func etagDelete(ctx context.Context, items *azcosmos.ContainerClient) error {
	created, err := items.CreateItem(ctx, key("p"), item("one", "p", 0), nil)
	if err != nil {
		return err
	}
	replaced, err := items.ReplaceItem(ctx, key("p"), "one", item("one", "p", 1), nil)
	if err != nil {
		return err
	}
	remove := func(etag azcore.ETag) error {
		_, err := items.DeleteItem(ctx, key("p"), "one", &azcosmos.ItemOptions{IfMatchEtag: &etag})
		return err
	}
	if err := refused(remove(created.ETag), 412); err != nil {
		return err
	}
	return remove(replaced.ETag)
}

func noContent(ctx context.Context, items *azcosmos.ContainerClient) error {
	minimal := &azcosmos.ItemOptions{EnableContentResponseOnWrite: false}
	created, err := items.CreateItem(ctx, key("p"), item("one", "p", 1), minimal)
	if err != nil {
		return err
	}
	replaced, err := items.ReplaceItem(ctx, key("p"), "one", item("one", "p", 2), minimal)
	if err != nil {
		return err
	}
	return first(
		expect("create", created.RawResponse.StatusCode, 201), expect("body", len(created.Value), 0),
		expect("replace", replaced.RawResponse.StatusCode, 200), expect("body", len(replaced.Value), 0),
		expect("etags", created.ETag != "" && replaced.ETag != "" && created.ETag != replaced.ETag, true),
		readN(ctx, items, key("p"), "one", 2))
}

func hierarchical(levels int) func(context.Context, *azcosmos.DatabaseClient) error {
	paths := []string{"/tenant", "/user", "/session"}[:levels]
	full := func(user string) azcosmos.PartitionKey {
		pk := azcosmos.NewPartitionKeyString("Contoso").AppendString(user)
		if levels == 3 {
			pk = pk.AppendNumber(7)
		}
		return pk
	}
	body := func(user string, n int) []byte {
		return []byte(fmt.Sprintf(`{"id":"one","tenant":"Contoso","user":%q,"session":7,"n":%d}`, user, n))
	}
	return func(ctx context.Context, database *azcosmos.DatabaseClient) error {
		items, created, err := newContainer(ctx, database, "levels", nil, paths...)
		if err != nil {
			return err
		}
		for n, user := range []string{"alice", "bob"} {
			if _, err := items.CreateItem(ctx, full(user), body(user, n), nil); err != nil {
				return err
			}
		}
		_, twice := items.CreateItem(ctx, full("alice"), body("alice", 9), nil)
		_, other := items.ReadItem(ctx, full("carol"), "one", nil)
		if err := first(
			expect("kind", string(created.ContainerProperties.PartitionKeyDefinition.Kind), "MultiHash"),
			refused(twice, 409), refused(other, 404),
			readN(ctx, items, full("alice"), "one", 0), readN(ctx, items, full("bob"), "one", 1)); err != nil {
			return err
		}
		if _, err := items.DeleteItem(ctx, full("alice"), "one", nil); err != nil {
			return err
		}
		return readN(ctx, items, full("bob"), "one", 1)
	}
}

func responseHeaders(ctx context.Context, items *azcosmos.ContainerClient) error {
	created, err := items.CreateItem(ctx, key("p"), item("one", "p", 1), nil)
	if err != nil {
		return err
	}
	read, err := items.ReadItem(ctx, key("p"), "one", nil)
	if err != nil {
		return err
	}
	guid := regexp.MustCompile(`^[0-9a-fA-F-]{36}$`)
	for _, response := range []azcosmos.ItemResponse{created, read} {
		if response.RequestCharge <= 0 || !guid.MatchString(response.ActivityID) || response.SessionToken == nil {
			return errors.New("charge, activity id or session token missing")
		}
	}
	return nil
}
