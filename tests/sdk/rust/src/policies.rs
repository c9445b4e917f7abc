//! Unique keys and time to live.

use std::{future::Future, time::Duration};

use azure_data_cosmos::{
    CosmosClient,
    clients::{ContainerClient, DatabaseClient},
    models::{ContainerProperties, TimeToLive, UniqueKey, UniqueKeyPolicy},
};
use futures::FutureExt;
use serde_json::{Value, json};

use crate::{Outcome, Scenario, expect, in_database, made_container, queries::texts, refused};

pub fn all() -> Vec<Scenario> {
    vec![
        ("unique.conflict", in_unique(conflict).boxed_local()),
        ("unique.other_key", in_unique(other_key).boxed_local()),
        ("unique.missing_is_null", in_unique(missing_is_null).boxed_local()),
        ("ttl.container_default", in_expiring(TimeToLive::Seconds(2), container_default).boxed_local()),
        ("ttl.item", in_expiring(TimeToLive::NoDefault, own_ttl).boxed_local()),
        ("ttl.never", in_expiring(TimeToLive::Seconds(1), never).boxed_local()),
        ("ttl.refused", in_database(refused_ttl).boxed_local()),
    ]
}

async fn in_new<Body, Running>(properties: ContainerProperties, body: Body) -> Outcome
where
    Body: FnOnce(ContainerClient) -> Running,
    Running: Future<Output = Outcome>,
{
    in_database(|_, database| async move { body(made_container(&database, properties).await?).await }).await
}

async fn in_unique<Body, Running>(body: Body) -> Outcome
where
    Body: FnOnce(ContainerClient) -> Running,
    Running: Future<Output = Outcome>,
{
    let policy = UniqueKeyPolicy::default().with_unique_key(UniqueKey::default().with_path("/email"));
    in_new(ContainerProperties::new("unique", "/pk".into()).with_unique_key_policy(policy), body).await
}

async fn in_expiring<Body, Running>(ttl: TimeToLive, body: Body) -> Outcome
where
    Body: FnOnce(ContainerClient) -> Running,
    Running: Future<Output = Outcome>,
{
    in_new(ContainerProperties::new("expiring", "/pk".into()).with_default_ttl(ttl), body).await
}

fn mail(id: &str, pk: &str, email: &str) -> Value {
    json!({"id": id, "pk": pk, "email": email})
}

async fn conflict(items: ContainerClient) -> Outcome {
    items.create_item("p", "1", mail("1", "p", "a@x"), None).await?;
    items.create_item("p", "2", mail("2", "p", "b@x"), None).await?;
    refused(items.create_item("p", "3", mail("3", "p", "a@x"), None).await, 409)?;
    refused(items.upsert_item("p", "3", mail("3", "p", "a@x"), None).await, 409)?;
    refused(items.replace_item("p", "2", mail("2", "p", "a@x"), None).await, 409)?;
    items.replace_item("p", "2", mail("2", "p", "b@x"), None).await?;
    items.delete_item("p", "1", None).await?;
    items.create_item("p", "3", mail("3", "p", "a@x"), None).await?;
    Ok(())
}

async fn other_key(items: ContainerClient) -> Outcome {
    items.create_item("p", "1", mail("1", "p", "a@x"), None).await?;
    items.create_item("q", "1", mail("1", "q", "a@x"), None).await?;
    expect("items", texts(&items, "SELECT VALUE c.id FROM c").await?, vec!["1", "1"])
}

async fn missing_is_null(items: ContainerClient) -> Outcome {
    items.create_item("p", "1", json!({"id": "1", "pk": "p"}), None).await?;
    refused(items.create_item("p", "2", json!({"id": "2", "pk": "p"}), None).await, 409)?;
    let null = json!({"id": "3", "pk": "p", "email": null});
    refused(items.create_item("p", "3", null, None).await, 409)?;
    items.create_item("p", "4", mail("4", "p", "a@x"), None).await?;
    Ok(())
}

async fn wait_until_gone(items: &ContainerClient, id: &str) -> Outcome {
    while items.read_item("p", id, None).await.is_ok() {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    refused(items.read_item("p", id, None).await, 404)?;
    Ok(())
}

async fn container_default(items: ContainerClient) -> Outcome {
    items.create_item("p", "short", json!({"id": "short", "pk": "p"}), None).await?;
    items.read_item("p", "short", None).await?;
    wait_until_gone(&items, "short").await?;
    expect("items", texts(&items, "SELECT VALUE c.id FROM c").await?.len(), 0)?;
    items.create_item("p", "short", json!({"id": "short", "pk": "p"}), None).await?;
    Ok(())
}

async fn own_ttl(items: ContainerClient) -> Outcome {
    items.create_item("p", "stays", json!({"id": "stays", "pk": "p"}), None).await?;
    items.create_item("p", "goes", json!({"id": "goes", "pk": "p", "ttl": 1}), None).await?;
    wait_until_gone(&items, "goes").await?;
    expect("items", texts(&items, "SELECT VALUE c.id FROM c").await?, vec!["stays"])
}

async fn never(items: ContainerClient) -> Outcome {
    items.create_item("p", "stays", json!({"id": "stays", "pk": "p", "ttl": -1}), None).await?;
    items.create_item("p", "goes", json!({"id": "goes", "pk": "p"}), None).await?;
    wait_until_gone(&items, "goes").await?;
    items.read_item("p", "stays", None).await?;
    Ok(())
}

async fn refused_ttl(_: CosmosClient, database: DatabaseClient) -> Outcome {
    let zero = ContainerProperties::new("zero", "/pk".into()).with_default_ttl(0);
    refused(database.create_container(zero, None).await, 400)?;
    let properties = ContainerProperties::new("expiring", "/pk".into()).with_default_ttl(TimeToLive::NoDefault);
    let items = made_container(&database, properties).await?;
    for ttl in [json!(0), json!(-2), json!(1.5), json!("1")] {
        refused(items.create_item("p", "1", json!({"id": "1", "pk": "p", "ttl": ttl}), None).await, 400)?;
    }
    Ok(())
}
