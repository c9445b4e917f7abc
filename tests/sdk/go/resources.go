package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sort"
	"strconv"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

var resourceScenarios = []scenario{
	{"database.lifecycle", databaseLifecycle},
	{"database.conflict", inDatabase(databaseConflict)},
	{"database.missing", databaseMissing},
	{"database.query_by_id", inDatabase(databaseQuery)},
	{"database.query", databaseSorted},
	{"container.query", inDatabase(containerSorted)},
	{"container.lifecycle", inDatabase(containerLifecycle)},
	{"container.conflict", inDatabase(containerConflict)},
	{"container.query_by_id", inDatabase(containerQuery)},
	{"container.index_paths", inDatabase(containerIndexPaths)},
	{"container.throughput", inDatabase(containerThroughput)},
	{"container.partitions", inContainer(containerPartitions)},
	{"auth.wrong_key", wrongKey},
}

const byID = "SELECT * FROM root r WHERE r.id=@id"

func databaseLifecycle(ctx context.Context) error {
	id := randomID("go")
	created, err := client.CreateDatabase(ctx, azcosmos.DatabaseProperties{ID: id}, nil)
	if err != nil {
		return err
	}
	database, err := client.NewDatabase(id)
	if err != nil {
		return err
	}
	read, err := database.Read(ctx, nil)
	if err != nil {
		return err
	}
	deleted, err := database.Delete(ctx, nil)
	if err != nil {
		return err
	}
	_, err = database.Read(ctx, nil)
	return first(
		expect("create", created.RawResponse.StatusCode, 201),
		expect("read", read.RawResponse.StatusCode, 200),
		expect("rid", read.DatabaseProperties.ResourceID, created.DatabaseProperties.ResourceID),
		expect("delete", deleted.RawResponse.StatusCode, 204),
		refused(err, 404))
}

func databaseConflict(ctx context.Context, database *azcosmos.DatabaseClient) error {
	_, err := client.CreateDatabase(ctx, azcosmos.DatabaseProperties{ID: database.ID()}, nil)
	return refused(err, 409)
}

func databaseMissing(ctx context.Context) error {
	database, err := client.NewDatabase(randomID("none"))
	if err != nil {
		return err
	}
	_, read := database.Read(ctx, nil)
	_, deleted := database.Delete(ctx, nil)
	return first(refused(read, 404), refused(deleted, 404))
}

func databaseQuery(ctx context.Context, database *azcosmos.DatabaseClient) error {
	for id, want := range map[string]int{database.ID(): 1, randomID("none"): 0} {
		pager := client.NewQueryDatabasesPager(byID, &azcosmos.QueryDatabasesOptions{
			QueryParameters: []azcosmos.QueryParameter{{Name: "@id", Value: id}}})
		err := finds(ctx, pager, id, want, func(page azcosmos.QueryDatabasesResponse) (ids []string) {
			for _, each := range page.Databases {
				ids = append(ids, each.ID)
			}
			return ids
		})
		if err != nil {
			return err
		}
	}
	return nil
}

const sorted = "SELECT r.id FROM r WHERE r.id LIKE @like AND r.id != @not ORDER BY r.id DESC"

func sortedParameters(prefix string) []azcosmos.QueryParameter {
	return []azcosmos.QueryParameter{{Name: "@like", Value: prefix + "%"}, {Name: "@not", Value: prefix + "c"}}
}

func databaseSorted(ctx context.Context) (err error) {
	prefix := randomID("go")
	for _, letter := range []string{"b", "c", "a"} {
		created, createErr := client.CreateDatabase(ctx, azcosmos.DatabaseProperties{ID: prefix + letter}, nil)
		if createErr != nil {
			return createErr
		}
		database, createErr := client.NewDatabase(created.DatabaseProperties.ID)
		if createErr != nil {
			return createErr
		}
		defer func() {
			if _, deleteErr := database.Delete(ctx, nil); err == nil {
				err = deleteErr
			}
		}()
	}
	pager := client.NewQueryDatabasesPager(sorted, &azcosmos.QueryDatabasesOptions{
		QueryParameters: sortedParameters(prefix)})
	ids, err := idsIn(ctx, pager, func(page azcosmos.QueryDatabasesResponse) (ids []string) {
		for _, each := range page.Databases {
			ids = append(ids, each.ID)
		}
		return ids
	})
	return first(err, expect("found", fmt.Sprint(ids), fmt.Sprint([]string{prefix + "b", prefix + "a"})))
}

// idsIn walks the pages of a query.
func idsIn[Page any](ctx context.Context, pager *runtime.Pager[Page], idsOf func(Page) []string) (ids []string,
	err error) {
	for pager.More() {
		page, err := pager.NextPage(ctx)
		if err != nil {
			return nil, err
		}
		ids = append(ids, idsOf(page)...)
	}
	return ids, nil
}

// finds walks the pages of a query: they hold so many resources, all of that id.
func finds[Page any](ctx context.Context, pager *runtime.Pager[Page], id string, want int,
	idsOf func(Page) []string) error {
	found := 0
	for pager.More() {
		page, err := pager.NextPage(ctx)
		if err != nil {
			return err
		}
		for _, each := range idsOf(page) {
			if err := expect("id", each, id); err != nil {
				return err
			}
			found++
		}
	}
	return expect("found", found, want)
}

func containerLifecycle(ctx context.Context, database *azcosmos.DatabaseClient) error {
	container, created, err := newContainer(ctx, database, "one", nil, "/pk")
	if err != nil {
		return err
	}
	read, err := container.Read(ctx, nil)
	if err != nil {
		return err
	}
	deleted, err := container.Delete(ctx, nil)
	if err != nil {
		return err
	}
	_, err = container.Read(ctx, nil)
	return first(
		expect("create", created.RawResponse.StatusCode, 201),
		expect("read", read.RawResponse.StatusCode, 200),
		expect("rid", read.ContainerProperties.ResourceID, created.ContainerProperties.ResourceID),
		expect("paths", fmt.Sprint(read.ContainerProperties.PartitionKeyDefinition.Paths), "[/pk]"),
		expect("version", read.ContainerProperties.PartitionKeyDefinition.Version, 2),
		expect("delete", deleted.RawResponse.StatusCode, 204),
		refused(err, 404))
}

func containerConflict(ctx context.Context, database *azcosmos.DatabaseClient) error {
	if _, _, err := newContainer(ctx, database, "one", nil, "/pk"); err != nil {
		return err
	}
	_, _, err := newContainer(ctx, database, "one", nil, "/pk")
	return refused(err, 409)
}

func containerQuery(ctx context.Context, database *azcosmos.DatabaseClient) error {
	for _, id := range []string{"items", "other"} {
		if _, _, err := newContainer(ctx, database, id, nil, "/pk"); err != nil {
			return err
		}
	}
	for id, want := range map[string]int{"items": 1, randomID("none"): 0} {
		pager := database.NewQueryContainersPager(byID, &azcosmos.QueryContainersOptions{
			QueryParameters: []azcosmos.QueryParameter{{Name: "@id", Value: id}}})
		err := finds(ctx, pager, id, want, func(page azcosmos.QueryContainersResponse) (ids []string) {
			for _, each := range page.Containers {
				ids = append(ids, each.ID)
			}
			return ids
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// The SDK sends `automatic` false unless it is told otherwise.
func containerIndexPaths(ctx context.Context, database *azcosmos.DatabaseClient) error {
	_, err := database.CreateContainer(ctx, azcosmos.ContainerProperties{
		ID:                     "items",
		PartitionKeyDefinition: azcosmos.PartitionKeyDefinition{Paths: []string{"/pk"}, Version: 2},
		IndexingPolicy: &azcosmos.IndexingPolicy{
			IndexingMode:  azcosmos.IndexingModeConsistent,
			IncludedPaths: []azcosmos.IncludedPath{{Path: "/"}},
			ExcludedPaths: []azcosmos.ExcludedPath{{Path: `/"systemMetadata"/*`}},
		}}, nil)
	if err != nil {
		return err
	}
	container, err := database.NewContainer("items")
	if err != nil {
		return err
	}
	read, err := container.Read(ctx, nil)
	if err != nil {
		return err
	}
	policy := read.ContainerProperties.IndexingPolicy
	for _, n := range []int{2, 3, 1} {
		item := fmt.Sprintf(`{"id":"%d","pk":"a","n":%d,"systemMetadata":%d}`, n, n, n)
		if _, err := container.CreateItem(ctx, azcosmos.NewPartitionKeyString("a"), []byte(item), nil); err != nil {
			return err
		}
	}
	ordered := func(path string) (string, error) {
		page, err := container.NewQueryItemsPager("SELECT VALUE c.n FROM c ORDER BY c."+path,
			azcosmos.NewPartitionKeyString("a"), nil).NextPage(ctx)
		return fmt.Sprintf("%s", page.Items), err
	}
	inside, err := ordered("n")
	if err != nil {
		return err
	}
	_, err = ordered("systemMetadata")
	return first(
		expect("automatic", policy.Automatic, true),
		expect("included", fmt.Sprint(policy.IncludedPaths), "[{/}]"),
		expect("excluded", fmt.Sprint(policy.ExcludedPaths), `[{/"systemMetadata"/*} {/"_etag"/?}]`),
		expect("ordered", inside, "[1 2 3]"),
		refused(err, 400))
}

func containerSorted(ctx context.Context, database *azcosmos.DatabaseClient) error {
	for _, id := range []string{"c-b", "c-c", "c-a"} {
		if _, _, err := newContainer(ctx, database, id, nil, "/pk"); err != nil {
			return err
		}
	}
	pager := database.NewQueryContainersPager(sorted, &azcosmos.QueryContainersOptions{
		QueryParameters: sortedParameters("c-")})
	ids, err := idsIn(ctx, pager, func(page azcosmos.QueryContainersResponse) (ids []string) {
		for _, each := range page.Containers {
			ids = append(ids, each.ID)
		}
		return ids
	})
	return first(err, expect("found", fmt.Sprint(ids), "[c-b c-a]"))
}

func containerThroughput(ctx context.Context, database *azcosmos.DatabaseClient) error {
	for _, ru := range []int32{400, 20000} {
		throughput := azcosmos.NewManualThroughputProperties(ru)
		container, _, err := newContainer(ctx, database, fmt.Sprintf("ru%d", ru),
			&azcosmos.CreateContainerOptions{ThroughputProperties: &throughput}, "/pk")
		if err != nil {
			return err
		}
		read, err := container.ReadThroughput(ctx, nil)
		if err != nil {
			return err
		}
		got, manual := read.ThroughputProperties.ManualThroughput()
		if err := first(expect("manual", manual, true), expect("throughput", got, ru)); err != nil {
			return err
		}
	}
	return nil
}

func containerPartitions(ctx context.Context, container *azcosmos.ContainerClient) error {
	ranges, err := container.ReadFeedRanges(ctx, nil)
	if err != nil {
		return err
	}
	if len(ranges) == 0 {
		return errors.New("no feed range")
	}
	sort.Slice(ranges, func(a, b int) bool { return ranges[a].MinInclusive < ranges[b].MinInclusive })
	for index := 1; index < len(ranges); index++ {
		if err := expect("bound", ranges[index].MinInclusive, ranges[index-1].MaxExclusive); err != nil {
			return err
		}
	}
	if wanted := os.Getenv("ORRERY_PARTITIONS"); wanted != "" {
		if err := expect("ranges", strconv.Itoa(len(ranges)), wanted); err != nil {
			return err
		}
	}
	return first(
		expect("first", ranges[0].MinInclusive, ""),
		expect("last", ranges[len(ranges)-1].MaxExclusive, "FF"))
}

func wrongKey(ctx context.Context) error {
	other, err := newClient(otherKey())
	if err != nil {
		return err
	}
	database, err := other.NewDatabase("any")
	if err != nil {
		return err
	}
	_, err = database.Read(ctx, nil)
	return refused(err, 401)
}
