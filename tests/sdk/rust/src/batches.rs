//! Patches and transactional batches.

use azure_data_cosmos::{
    TransactionalBatch,
    clients::ContainerClient,
    models::{BatchResponse, PatchInstructions, PatchOperation, TransactionalBatchResponse},
    options::{
        BatchDeleteOptions, BatchOptions, ContentResponseOnWrite, OperationOptionsBuilder, PatchItemOptions,
        PatchStrategy, Precondition,
    },
};
use futures::FutureExt;
use serde_json::{Value, json};

use crate::{
    Outcome, Scenario, expect, in_container,
    items::{etag_of, item, read_n, read_value},
    refused,
};

pub fn all() -> Vec<Scenario> {
    vec![
        ("patch.operations", in_container(operations).boxed_local()),
        ("patch.condition", in_container(condition).boxed_local()),
        ("patch.refused", in_container(refused_patches).boxed_local()),
        ("batch.commit", in_container(commit).boxed_local()),
        ("batch.rollback", in_container(rollback).boxed_local()),
        ("batch.refused", in_container(refused_batches).boxed_local()),
    ]
}

/// Otherwise the SDK itself reads, changes and replaces the item.
fn by_server() -> PatchItemOptions {
    let operation = OperationOptionsBuilder::new().with_content_response_on_write(ContentResponseOnWrite::Enabled);
    PatchItemOptions::default().with_strategy(PatchStrategy::ServerSide).with_operation_options(operation.build())
}

async fn operations(items: ContainerClient) -> Outcome {
    for (id, options) in [("server", by_server()), ("client", by_server().with_strategy(PatchStrategy::ClientSide))] {
        let body = json!({"id": id, "pk": "p", "n": 1, "tags": ["x"], "old": {}, "name": "before", "from": 7});
        let created = items.create_item("p", id, body, None).await?;
        let patch = PatchInstructions::from(vec![
            PatchOperation::add("/tags/-", json!("y")),
            PatchOperation::add("/tags/0", json!("w")),
            PatchOperation::set("/tags/1", json!("X")),
            PatchOperation::replace("/name", json!("after")),
            PatchOperation::increment("/n", 41),
            PatchOperation::remove("/old"),
            PatchOperation::move_value("/from", "/to"),
        ]);
        let patched = items.patch_item("p", id, patch, Some(options)).await?;
        expect("status", u16::from(patched.status()), 200)?;
        expect("same etag", etag_of(&patched)? == etag_of(&created)?, false)?;
        let got: Value = patched.into_model()?;
        for (name, want) in
            [("n", json!(42)), ("name", json!("after")), ("tags", json!(["w", "X", "y"])), ("to", json!(7))]
        {
            expect(name, &got[name], &want)?;
        }
        expect("removed", got.get("old").or(got.get("from")).is_none(), true)?;
        expect("read", &read_value(&items, "p", id).await?["_etag"], &got["_etag"])?;
    }
    Ok(())
}

async fn condition(items: ContainerClient) -> Outcome {
    let etag = etag_of(&items.create_item("p", "one", item("one", "p", 1), None).await?)?;
    let patch = || PatchInstructions::from(vec![PatchOperation::set("/n", json!(2))]);
    let options = || Some(by_server().with_precondition(Precondition::if_match(etag.clone())));
    items.patch_item("p", "one", patch(), options()).await?;
    refused(items.patch_item("p", "one", patch(), options()).await, 412)?;
    read_n(&items, "p", "one", 2).await
}

async fn refused_patches(items: ContainerClient) -> Outcome {
    items.create_item("p", "one", json!({"id": "one", "pk": "p", "s": "x"}), None).await?;
    for operations in [
        vec![PatchOperation::replace("/none", json!(1))],
        vec![PatchOperation::add("/none/x", json!(1))],
        vec![PatchOperation::increment("/s", 1)],
        vec![PatchOperation::set("/id", json!("two"))],
        vec![PatchOperation::set("/pk", json!("q"))],
        vec![PatchOperation::increment("/n", 1); 11],
    ] {
        refused(items.patch_item("p", "one", operations.into(), Some(by_server())).await, 400)?;
    }
    let patch = vec![PatchOperation::set("/s", json!(1))];
    refused(items.patch_item("p", "none", patch.into(), Some(by_server())).await, 404)?;
    Ok(())
}

fn statuses(response: &TransactionalBatchResponse) -> Vec<u16> {
    response.results().iter().map(|result| result.status_code()).collect()
}

async fn execute(items: &ContainerClient, batch: TransactionalBatch) -> azure_data_cosmos::Result<BatchResponse> {
    let operation = OperationOptionsBuilder::new().with_content_response_on_write(ContentResponseOnWrite::Enabled);
    let options = BatchOptions::default().with_operation_options(operation.build());
    items.execute_transactional_batch(batch, Some(options)).await
}

async fn commit(items: ContainerClient) -> Outcome {
    let etag = etag_of(&items.create_item("p", "zero", item("zero", "p", 1), None).await?)?;
    let current = BatchDeleteOptions::default().with_precondition(Precondition::if_match(etag));
    let batch = TransactionalBatch::new("p")
        .create_item(item("one", "p", 1))?
        .upsert_item(item("two", "p", 1), None)?
        .read_item("one", None)
        .replace_item("two", item("two", "p", 7), None)?
        .delete_item("zero", Some(current));
    let response = execute(&items, batch).await?;
    expect("status", u16::from(response.status()), 200)?;
    let response = response.into_model()?;
    expect("statuses", statuses(&response), vec![201, 201, 200, 200, 204])?;
    let read: Value = response.results()[2].into_model()?.ok_or("nothing read")?;
    expect("read", &read["n"], &json!(1))?;
    let replaced: Value = response.results()[3].into_model()?.ok_or("nothing replaced")?;
    expect("etag", response.results()[3].etag(), replaced["_etag"].as_str())?;
    let charged = response.results().iter().all(|result| result.request_charge().is_some_and(|charge| charge > 0.0));
    expect("charges", charged, true)?;
    refused(items.read_item("p", "zero", None).await, 404)?;
    read_n(&items, "p", "two", 7).await
}

async fn rollback(items: ContainerClient) -> Outcome {
    items.create_item("p", "zero", item("zero", "p", 1), None).await?;
    let batch = TransactionalBatch::new("p")
        .create_item(item("one", "p", 1))?
        .delete_item("zero", None)
        .create_item(item("one", "p", 1))?
        .read_item("one", None);
    let response = execute(&items, batch).await?.into_model()?;
    expect("statuses", statuses(&response), vec![424, 424, 409, 424])?;
    refused(items.read_item("p", "one", None).await, 404)?;
    read_n(&items, "p", "zero", 1).await
}

async fn refused_batches(items: ContainerClient) -> Outcome {
    let mut many = TransactionalBatch::new("p");
    for n in 0..101 {
        many = many.create_item(item(&n.to_string(), "p", n))?;
    }
    refused(execute(&items, many).await, 400)?;
    let mixed = TransactionalBatch::new("p").create_item(item("one", "q", 1))?;
    let response = execute(&items, mixed).await?.into_model()?;
    expect("statuses", statuses(&response), vec![400])
}
