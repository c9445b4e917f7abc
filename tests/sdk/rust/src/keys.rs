//! Partition keys and sessions.

use std::{collections::HashMap, error::Error};

use azure_data_cosmos::{
    CosmosClient, CosmosError, PartitionKey,
    clients::{ContainerClient, DatabaseClient},
    models::{ItemResponse, PartitionKeyKind},
    options::{ItemReadOptions, OperationOptionsBuilder, SessionToken},
};
use futures::FutureExt;
use serde_json::{Value, json};

use crate::{Outcome, Scenario, expect, in_container, in_database, items::item, new_container, refused};

pub fn all() -> Vec<Scenario> {
    vec![
        ("key.paths", in_database(paths).boxed_local()),
        ("key.values", in_container(values).boxed_local()),
        ("key.undefined", in_container(undefined).boxed_local()),
        ("key.mismatch", in_container(mismatch).boxed_local()),
        ("key.hierarchical_two", in_database(two_levels).boxed_local()),
        ("key.hierarchical_three", in_database(three_levels).boxed_local()),
        ("session.token", in_container(token).boxed_local()),
        ("session.read_own_write", in_container(read_own_write).boxed_local()),
        ("session.ahead", in_container(ahead).boxed_local()),
    ]
}

async fn paths(_: CosmosClient, database: DatabaseClient) -> Outcome {
    for (name, path, key, body) in [
        ("flat", "/department", "Sales", json!({"id": "one", "department": "Sales"})),
        ("nested", "/properties/name", "deep", json!({"id": "one", "properties": {"name": "deep"}})),
        ("id", "/id", "one", json!({"id": "one"})),
        ("quoted", "/\"department name\"", "Sales", json!({"id": "one", "department name": "Sales"})),
    ] {
        let items = new_container(&database, name, path).await?;
        items.create_item(key, "one", &body, None).await?;
        items.read_item(key, "one", None).await?;
        items.replace_item(key, "one", &body, None).await?;
        items.delete_item(key, "one", None).await?;
        refused(items.read_item(key, "one", None).await, 404)?;
    }
    Ok(())
}

async fn values(items: ContainerClient) -> Outcome {
    let keys: Vec<(PartitionKey, Value)> = vec![
        ("p".into(), json!("p")),
        ("".into(), json!("")),
        ("é漢🚀".into(), json!("é漢🚀")),
        (7.into(), json!(7)),
        (2.5.try_into()?, json!(2.5)),
        ((-3).into(), json!(-3)),
        (true.into(), json!(true)),
        (false.into(), json!(false)),
        (PartitionKey::NULL.into(), Value::Null),
    ];
    for (key, value) in &keys {
        items.create_item(key.clone(), "one", json!({"id": "one", "pk": value}), None).await?;
    }
    for (key, value) in &keys {
        let got: Value = items.read_item(key.clone(), "one", None).await?.into_model()?;
        expect("key", &got["pk"], value)?;
    }
    let all = crate::queries::texts(&items, "SELECT VALUE c.id FROM c").await?;
    expect("items", all.len(), keys.len())
}

async fn undefined(items: ContainerClient) -> Outcome {
    let created = items.create_item(PartitionKey::UNDEFINED, "one", json!({"id": "one"}), None).await?;
    expect("create", u16::from(created.status()), 201)?;
    items.read_item(PartitionKey::UNDEFINED, "one", None).await?;
    refused(items.read_item(PartitionKey::NULL, "one", None).await, 404)?;
    Ok(())
}

async fn mismatch(items: ContainerClient) -> Outcome {
    let error = refused(items.create_item("p", "one", item("one", "q", 1), None).await, 400)?;
    expect("sub-status", sub_status(&error), Some(1001))
}

fn sub_status(error: &CosmosError) -> Option<u16> {
    error.status().sub_status().map(|code| code.value())
}

async fn two_levels(_: CosmosClient, database: DatabaseClient) -> Outcome {
    let items = new_container(&database, "levels", ("/tenant", "/user")).await?;
    hierarchical(items, |user| ("Contoso", user).into()).await
}

async fn three_levels(_: CosmosClient, database: DatabaseClient) -> Outcome {
    let items = new_container(&database, "levels", ("/tenant", "/user", "/session")).await?;
    hierarchical(items, |user| ("Contoso", user, 7).into()).await
}

async fn hierarchical(items: ContainerClient, key: impl Fn(&'static str) -> PartitionKey) -> Outcome {
    let body = |user| json!({"id": "one", "tenant": "Contoso", "user": user, "session": 7});
    let definition = items.read(None).await?.into_model()?.partition_key;
    expect("kind", definition.kind(), PartitionKeyKind::MultiHash)?;
    for user in ["alice", "bob"] {
        items.create_item(key(user), "one", body(user), None).await?;
    }
    refused(items.create_item(key("alice"), "one", body("alice"), None).await, 409)?;
    refused(items.read_item(key("carol"), "one", None).await, 404)?;
    for user in ["alice", "bob"] {
        let got: Value = items.read_item(key(user), "one", None).await?.into_model()?;
        expect("user", &got["user"], user)?;
    }
    items.delete_item(key("alice"), "one", None).await?;
    refused(items.read_item(key("alice"), "one", None).await, 404)?;
    items.read_item(key("bob"), "one", None).await?;
    Ok(())
}

/// The range and the LSN of `0:3#5`.
fn position(response: &ItemResponse) -> Outcome<(String, u64)> {
    let token = response.headers().session_token().ok_or("no session token")?;
    let (range, rest) = token.as_str().split_once(':').ok_or("no range")?;
    let lsn = rest.split('#').nth(1).ok_or("no LSN")?;
    Ok((range.to_owned(), lsn.parse()?))
}

async fn token(items: ContainerClient) -> Outcome {
    let mut last = HashMap::new();
    for n in 0..30 {
        let (id, pk) = (n.to_string(), format!("key-{}", n % 10));
        let (range, lsn) = position(&items.create_item(pk.clone(), &id, item(&id, &pk, n), None).await?)?;
        let before = last.insert(range, lsn);
        expect("grows", before.is_none_or(|before| before < lsn), true)?;
    }
    let (range, lsn) = position(&items.read_item("key-0", "0", None).await?)?;
    // A range that has just taken over is new.
    expect("kept", last.get(&range).is_none_or(|before| *before <= lsn), true)
}

async fn read_own_write(items: ContainerClient) -> Outcome {
    items.create_item("p", "one", item("one", "p", 0), None).await?;
    for n in 1..=20 {
        items.replace_item("p", "one", item("one", "p", n), None).await?;
        crate::items::read_n(&items, "p", "one", n).await?;
    }
    Ok(())
}

// After its retries this SDK reports 503/20310 of its own, with the server's answer as the cause.
async fn ahead(items: ContainerClient) -> Outcome {
    let (range, lsn) = position(&items.create_item("p", "one", item("one", "p", 0), None).await?)?;
    let read = |lsn: u64| {
        let operation = OperationOptionsBuilder::new().with_max_session_retry_count(0).build();
        let options = ItemReadOptions::default()
            .with_operation_options(operation)
            .with_session_token(SessionToken::new(format!("{range}:-1#{lsn}")));
        items.read_item("p", "one", Some(options))
    };
    let error = refused(read(lsn + 1000).await, 503)?;
    let cause = error.source().and_then(|source| source.downcast_ref::<CosmosError>()).ok_or("no cause")?;
    expect("status", (u16::from(cause.status()), sub_status(cause)), (404, Some(1002)))?;
    read(lsn).await?;
    Ok(())
}
