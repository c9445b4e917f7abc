//! Items, etags, and JSON that must come back as it was sent.

use azure_data_cosmos::{
    CosmosClient,
    clients::{ContainerClient, DatabaseClient},
    models::ItemResponse,
    options::{ContentResponseOnWrite, ItemReadOptions, ItemWriteOptions, OperationOptionsBuilder, Precondition},
};
use futures::{FutureExt, future::try_join_all};
use serde::Serialize;
use serde_json::{Value, json};

use crate::{Outcome, Scenario, client, expect, in_container, in_database, new_container, refused};

pub fn all() -> Vec<Scenario> {
    vec![
        ("item.create_read", in_container(create_read).boxed_local()),
        ("item.replace", in_container(replace).boxed_local()),
        ("item.upsert", in_container(upsert).boxed_local()),
        ("item.delete", in_container(delete).boxed_local()),
        ("item.missing", in_database(missing).boxed_local()),
        ("item.conflict", in_container(conflict).boxed_local()),
        ("item.same_id_other_key", in_container(same_id_other_key).boxed_local()),
        ("item.etag_replace", in_container(etag_replace).boxed_local()),
        ("item.etag_delete", in_container(etag_delete).boxed_local()),
        ("item.etag_read", in_container(etag_read).boxed_local()),
        ("item.no_content", in_container(no_content).boxed_local()),
        ("item.person", in_container(person).boxed_local()),
        ("json.fidelity", in_container(fidelity).boxed_local()),
        ("json.large", in_container(large).boxed_local()),
        ("json.too_large", in_container(too_large).boxed_local()),
        ("id.unusual", in_container(unusual_ids).boxed_local()),
        ("id.refused", in_container(refused_ids).boxed_local()),
        ("response.headers", in_container(response_headers).boxed_local()),
        ("clients.concurrent", in_database(concurrent).boxed_local()),
    ]
}

pub fn item(id: &str, pk: &str, n: i64) -> Value {
    json!({"id": id, "pk": pk, "n": n})
}

/// This SDK asks for minimal answers unless told otherwise.
pub fn with_content() -> Option<ItemWriteOptions> {
    let operation = OperationOptionsBuilder::new().with_content_response_on_write(ContentResponseOnWrite::Enabled);
    Some(ItemWriteOptions::default().with_operation_options(operation.build()))
}

fn if_match(etag: &str) -> Option<ItemWriteOptions> {
    Some(ItemWriteOptions::default().with_precondition(Precondition::if_match(etag.to_owned())))
}

pub fn etag_of(response: &ItemResponse) -> Outcome<String> {
    Ok(response.headers().etag().ok_or("no etag")?.to_string())
}

pub async fn read_value(items: &ContainerClient, pk: &str, id: &str) -> Outcome<Value> {
    Ok(items.read_item(pk.to_owned(), id, None).await?.into_model()?)
}

pub async fn read_n(items: &ContainerClient, pk: &str, id: &str, n: i64) -> Outcome {
    expect("n", &read_value(items, pk, id).await?["n"], &json!(n))
}

async fn create_read(items: ContainerClient) -> Outcome {
    let created = items.create_item("p", "one", item("one", "p", 1), with_content()).await?;
    expect("create", u16::from(created.status()), 201)?;
    let read = items.read_item("p", "one", None).await?;
    expect("read", u16::from(read.status()), 200)?;
    let etag = etag_of(&read)?;
    let got: Value = read.into_model()?;
    expect("body", &got, &created.into_model::<Value>()?)?;
    expect("etag", &got["_etag"], &json!(etag))?;
    expect("attachments", &got["_attachments"], "attachments/")?;
    for name in ["_rid", "_self", "_ts"] {
        expect(name, got.get(name).is_some(), true)?;
    }
    let plain: Vec<_> = got.as_object().ok_or("no object")?.keys().filter(|name| !name.starts_with('_')).collect();
    expect("members", plain, vec!["id", "n", "pk"])
}

async fn replace(items: ContainerClient) -> Outcome {
    let created = items.create_item("p", "one", item("one", "p", 1), None).await?;
    let replaced = items.replace_item("p", "one", item("one", "p", 2), None).await?;
    expect("status", u16::from(replaced.status()), 200)?;
    expect("same etag", etag_of(&replaced)? == etag_of(&created)?, false)?;
    refused(items.replace_item("p", "none", item("none", "p", 1), None).await, 404)?;
    read_n(&items, "p", "one", 2).await
}

async fn upsert(items: ContainerClient) -> Outcome {
    for (n, status) in [(0, 201), (1, 200)] {
        let upserted = items.upsert_item("p", "one", item("one", "p", n), None).await?;
        expect("status", u16::from(upserted.status()), status)?;
    }
    read_n(&items, "p", "one", 1).await
}

async fn delete(items: ContainerClient) -> Outcome {
    items.create_item("p", "one", item("one", "p", 1), None).await?;
    expect("status", u16::from(items.delete_item("p", "one", None).await?.status()), 204)?;
    refused(items.read_item("p", "one", None).await, 404)?;
    refused(items.delete_item("p", "one", None).await, 404)?;
    Ok(())
}

// This SDK reads a container before it gives a client for it.
async fn missing(_: CosmosClient, database: DatabaseClient) -> Outcome {
    let items = new_container(&database, "items", "/pk").await?;
    refused(items.read_item("p", "none", None).await, 404)?;
    refused(database.container_client("none", None).await, 404)?;
    items.delete(None).await?;
    refused(items.read_item("p", "none", None).await, 404)?;
    Ok(())
}

async fn conflict(items: ContainerClient) -> Outcome {
    items.create_item("p", "one", item("one", "p", 1), None).await?;
    refused(items.create_item("p", "one", item("one", "p", 2), None).await, 409)?;
    read_n(&items, "p", "one", 1).await
}

async fn same_id_other_key(items: ContainerClient) -> Outcome {
    let pairs = [("0001", "Marketing"), ("0002", "Marketing"), ("0001", "Sales")];
    for (n, (id, pk)) in (0..).zip(pairs) {
        items.create_item(pk, id, item(id, pk, n), None).await?;
    }
    for (n, (id, pk)) in (0..).zip(pairs) {
        read_n(&items, pk, id, n).await?;
    }
    refused(items.create_item("Sales", "0001", item("0001", "Sales", 9), None).await, 409)?;
    Ok(())
}

async fn etag_replace(items: ContainerClient) -> Outcome {
    let etag = etag_of(&items.create_item("p", "one", item("one", "p", 0), None).await?)?;
    items.replace_item("p", "one", item("one", "p", 1), if_match(&etag)).await?;
    refused(items.replace_item("p", "one", item("one", "p", 2), if_match(&etag)).await, 412)?;
    read_n(&items, "p", "one", 1).await
}

async fn etag_delete(items: ContainerClient) -> Outcome {
    let stale = etag_of(&items.create_item("p", "one", item("one", "p", 0), None).await?)?;
    let current = etag_of(&items.replace_item("p", "one", item("one", "p", 1), None).await?)?;
    refused(items.delete_item("p", "one", if_match(&stale)).await, 412)?;
    expect("status", u16::from(items.delete_item("p", "one", if_match(&current)).await?.status()), 204)
}

async fn etag_read(items: ContainerClient) -> Outcome {
    let etag = etag_of(&items.create_item("p", "one", item("one", "p", 0), None).await?)?;
    let changed = || Some(ItemReadOptions::default().with_precondition(Precondition::if_none_match(etag.clone())));
    let unchanged = items.read_item("p", "one", changed()).await?;
    expect("unchanged", u16::from(unchanged.status()), 304)?;
    expect("empty", unchanged.into_body().single().map_or(true, |body| body.is_empty()), true)?;
    items.replace_item("p", "one", item("one", "p", 1), None).await?;
    expect("status", u16::from(items.read_item("p", "one", changed()).await?.status()), 200)
}

async fn no_content(items: ContainerClient) -> Outcome {
    let created = items.create_item("p", "one", item("one", "p", 1), None).await?;
    expect("create", u16::from(created.status()), 201)?;
    let replaced = items.replace_item("p", "one", item("one", "p", 2), None).await?;
    expect("replace", u16::from(replaced.status()), 200)?;
    expect("same etag", etag_of(&created)? == etag_of(&replaced)?, false)?;
    for response in [created, replaced] {
        expect("empty", response.into_body().single().map_or(true, |body| body.is_empty()), true)?;
    }
    read_n(&items, "p", "one", 2).await
}

async fn person(items: ContainerClient) -> Outcome {
    let sent = json!({
        "id": "1", "pk": "p", "firstName": "Thomas", "lastName": "Andersen",
        "addresses": [{"line1": "100 Some Street", "line2": "Unit 1", "city": "Seattle", "state": "WA", "zip": 98012}],
        "contactDetails": [{"email": "thomas@andersen.com"}, {"phone": "+1 555 555-5555", "extension": 5555}],
    });
    items.create_item("p", "1", &sent, None).await?;
    let mut got = read_value(&items, "p", "1").await?;
    got.as_object_mut().ok_or("no object")?.retain(|name, _| !name.starts_with('_'));
    expect("item", got, sent)
}

/// Members in an order that no map would give them.
#[derive(Serialize)]
struct Shapes {
    id: &'static str,
    pk: &'static str,
    zeta: &'static str,
    alpha: &'static str,
    object: Empty,
    array: [u8; 0],
    deep: Value,
    largest: u64,
    smallest: i64,
    real: f64,
    precise: f64,
    long: String,
}

#[derive(Serialize)]
struct Empty {}

async fn fidelity(items: ContainerClient) -> Outcome {
    let sent = Shapes {
        id: "one",
        pk: "p",
        zeta: "\u{0}\u{1f}\"\\/ é 漢字 🚀",
        alpha: "",
        object: Empty {},
        array: [],
        deep: (0..100).fold(json!(1), |inner, _| json!([inner])),
        largest: u64::MAX,
        smallest: i64::MIN,
        real: 0.1,
        precise: 0.1 + 0.2,
        long: "x".repeat(70_000),
    };
    items.create_item("p", "one", &sent, None).await?;
    let text = serde_json::to_string(&sent)?;
    let body = items.read_item("p", "one", None).await?.into_body().single()?;
    let sent = text.trim_end_matches('}').as_bytes();
    let same = sent.iter().zip(body.iter()).take_while(|(a, b)| a == b).count();
    expect("bytes that came back as sent", same, sent.len())
}

async fn large(items: ContainerClient) -> Outcome {
    let text = "y".repeat(1_900_000);
    items.create_item("p", "one", json!({"id": "one", "pk": "p", "text": text}), None).await?;
    expect("whole", read_value(&items, "p", "one").await?["text"] == text.as_str(), true)
}

async fn too_large(items: ContainerClient) -> Outcome {
    let big = json!({"id": "one", "pk": "p", "text": "y".repeat(2_200_000)});
    refused(items.create_item("p", "one", &big, None).await, 413)?;
    items.create_item("p", "one", item("one", "p", 1), None).await?;
    refused(items.replace_item("p", "one", &big, None).await, 413)?;
    read_n(&items, "p", "one", 1).await
}

async fn unusual_ids(items: ContainerClient) -> Outcome {
    let longest = "x".repeat(255);
    for id in ["with space", "é漢🚀", "what?", "a#b", "a+b", "100%", "a%20b", longest.as_str()] {
        items.create_item("p", id, item(id, "p", 1), None).await?;
        expect("id", &read_value(&items, "p", id).await?["id"], id)?;
        items.delete_item("p", id, None).await?;
    }
    Ok(())
}

async fn refused_ids(items: ContainerClient) -> Outcome {
    let long = "x".repeat(1024);
    for body in [
        json!({"id": "a\\b", "pk": "p"}),
        json!({"id": "", "pk": "p"}),
        json!({"pk": "p"}),
        json!({"id": 1, "pk": "p"}),
        json!({"id": long, "pk": "p"}),
    ] {
        refused(items.create_item("p", "any", &body, None).await, 400)?;
    }
    Ok(())
}

async fn response_headers(items: ContainerClient) -> Outcome {
    let created = items.create_item("p", "one", item("one", "p", 1), None).await?;
    let read = items.read_item("p", "one", None).await?;
    for response in [created, read] {
        let headers = response.headers();
        expect("charge", headers.request_charge().is_some_and(|charge| f64::from(*charge) > 0.0), true)?;
        let activity = headers.activity_id().ok_or("no activity id")?.to_string();
        expect("activity id", activity.len(), 36)?;
        expect("session token", headers.session_token().is_some(), true)?;
    }
    Ok(())
}

async fn concurrent(one: CosmosClient, database: DatabaseClient) -> Outcome {
    new_container(&database, "items", "/pk").await?;
    let name = database.name().unwrap_or_default();
    let mut writes = Vec::new();
    for (client, mark) in [(one, "a"), (client().await?, "b")] {
        let items = client.database_client(name).container_client("items", None).await?;
        for n in 0..50 {
            let items = items.clone();
            writes.push(async move {
                let (id, pk) = (format!("{mark}-{n}"), format!("key-{}", n % 7));
                items.create_item(pk.clone(), &id, item(&id, &pk, n), None).await.map(|_| id)
            });
        }
    }
    let mut written = try_join_all(writes).await?;
    let items = database.container_client("items", None).await?;
    let mut found = crate::queries::texts(&items, "SELECT VALUE c.id FROM c").await?;
    written.sort();
    found.sort();
    expect("items", found.len(), 100)?;
    expect("ids", found, written)
}
