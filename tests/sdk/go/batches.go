package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

var batchScenarios = []scenario{
	{"patch.operations", inContainer(patchOperations)},
	{"patch.condition", inContainer(patchCondition)},
	{"patch.refused", inContainer(patchRefused)},
	{"batch.commit", inContainer(batchCommit)},
	{"batch.rollback", inContainer(batchRollback)},
	{"batch.refused", inContainer(batchRefused)},
}

func patchOperations(ctx context.Context, items *azcosmos.ContainerClient) error {
	body := []byte(`{"id":"one","pk":"p","n":1,"tags":["x"],"old":{},"name":"before"}`)
	if _, err := items.CreateItem(ctx, key("p"), body, nil); err != nil {
		return err
	}
	operations := azcosmos.PatchOperations{}
	operations.AppendAdd("/tags/-", "y")
	operations.AppendAdd("/tags/0", "w")
	operations.AppendSet("/tags/1", "X")
	operations.AppendReplace("/name", "after")
	operations.AppendIncrement("/n", 41)
	operations.AppendRemove("/old")
	patched, err := items.PatchItem(ctx, key("p"), "one", operations, withContent)
	if err != nil {
		return err
	}
	var got struct {
		N    int
		Tags []string
		Name string
		Old  *struct{}
	}
	return first(json.Unmarshal(patched.Value, &got),
		expect("status", patched.RawResponse.StatusCode, 200),
		expect("n", got.N, 42), expect("name", got.Name, "after"), expect("old", got.Old == nil, true),
		expect("tags", fmt.Sprint(got.Tags), "[w X y]"))
}

func patchCondition(ctx context.Context, items *azcosmos.ContainerClient) error {
	created, err := items.CreateItem(ctx, key("p"), item("one", "p", 1), nil)
	if err != nil {
		return err
	}
	operations := azcosmos.PatchOperations{}
	operations.AppendIncrement("/n", 1)
	operations.SetCondition("from c where c.n = 1")
	if _, err = items.PatchItem(ctx, key("p"), "one", operations, nil); err != nil {
		return err
	}
	_, again := items.PatchItem(ctx, key("p"), "one", operations, nil)
	operations.SetCondition("from c where c.n = 2")
	_, stale := items.PatchItem(ctx, key("p"), "one", operations, &azcosmos.ItemOptions{IfMatchEtag: &created.ETag})
	return first(refused(again, 412), refused(stale, 412), readN(ctx, items, key("p"), "one", 2))
}

func patchRefused(ctx context.Context, items *azcosmos.ContainerClient) error {
	if _, err := items.CreateItem(ctx, key("p"), []byte(`{"id":"one","pk":"p","s":"x"}`), nil); err != nil {
		return err
	}
	for _, add := range []func(*azcosmos.PatchOperations){
		func(o *azcosmos.PatchOperations) { o.AppendReplace("/none", 1) },
		func(o *azcosmos.PatchOperations) { o.AppendAdd("/none/x", 1) },
		func(o *azcosmos.PatchOperations) { o.AppendIncrement("/s", 1) },
		func(o *azcosmos.PatchOperations) { o.AppendSet("/id", "two") },
		func(o *azcosmos.PatchOperations) { o.AppendSet("/pk", "q") },
		func(o *azcosmos.PatchOperations) {
			for range 11 {
				o.AppendIncrement("/n", 1)
			}
		},
	} {
		operations := azcosmos.PatchOperations{}
		add(&operations)
		if _, err := items.PatchItem(ctx, key("p"), "one", operations, nil); refused(err, 400) != nil {
			return refused(err, 400)
		}
	}
	operations := azcosmos.PatchOperations{}
	operations.AppendSet("/s", 1)
	_, err := items.PatchItem(ctx, key("p"), "none", operations, nil)
	return refused(err, 404)
}

func statusesOf(response azcosmos.TransactionalBatchResponse) string {
	var statuses []int32
	for _, result := range response.OperationResults {
		statuses = append(statuses, result.StatusCode)
	}
	return fmt.Sprint(statuses)
}

func batchCommit(ctx context.Context, items *azcosmos.ContainerClient) error {
	there, err := items.CreateItem(ctx, key("p"), item("zero", "p", 1), nil)
	if err != nil {
		return err
	}
	batch := items.NewTransactionalBatch(key("p"))
	batch.CreateItem(item("one", "p", 1), nil)
	batch.UpsertItem(item("two", "p", 1), nil)
	batch.ReadItem("one", nil)
	operations := azcosmos.PatchOperations{}
	operations.AppendIncrement("/n", 1)
	batch.PatchItem("one", operations, nil)
	batch.ReplaceItem("two", item("two", "p", 7), nil)
	batch.DeleteItem("zero", &azcosmos.TransactionalBatchItemOptions{IfMatchETag: &there.ETag})
	response, err := items.ExecuteTransactionalBatch(ctx, batch, nil)
	if err != nil {
		return err
	}
	var patched stored
	charged := !slices.ContainsFunc(response.OperationResults,
		func(result azcosmos.TransactionalBatchResult) bool { return result.RequestCharge <= 0 })
	return first(expect("success", response.Success, true),
		expect("statuses", statusesOf(response), "[201 201 200 200 200 204]"),
		json.Unmarshal(response.OperationResults[3].ResourceBody, &patched), expect("patched", patched.N, 2),
		expect("etag", response.OperationResults[3].ETag, azcore.ETag(patched.ETag)),
		expect("charges", charged, true),
		readN(ctx, items, key("p"), "two", 7))
}

func batchRollback(ctx context.Context, items *azcosmos.ContainerClient) error {
	if _, err := items.CreateItem(ctx, key("p"), item("zero", "p", 1), nil); err != nil {
		return err
	}
	batch := items.NewTransactionalBatch(key("p"))
	batch.CreateItem(item("one", "p", 1), nil)
	batch.DeleteItem("zero", nil)
	batch.CreateItem(item("one", "p", 1), nil)
	batch.ReadItem("one", nil)
	response, err := items.ExecuteTransactionalBatch(ctx, batch, nil)
	if err != nil {
		return err
	}
	_, gone := items.ReadItem(ctx, key("p"), "one", nil)
	return first(expect("success", response.Success, false),
		expect("statuses", statusesOf(response), "[424 424 409 424]"),
		readN(ctx, items, key("p"), "zero", 1), refused(gone, 404))
}

func batchRefused(ctx context.Context, items *azcosmos.ContainerClient) error {
	many := items.NewTransactionalBatch(key("p"))
	for i := range 101 {
		many.CreateItem(item(fmt.Sprint(i), "p", i), nil)
	}
	_, tooMany := items.ExecuteTransactionalBatch(ctx, many, nil)
	mixed := items.NewTransactionalBatch(key("p"))
	mixed.CreateItem(item("one", "q", 1), nil)
	response, err := items.ExecuteTransactionalBatch(ctx, mixed, nil)
	return first(err, refused(tooMany, 400), expect("statuses", statusesOf(response), "[400]"))
}
