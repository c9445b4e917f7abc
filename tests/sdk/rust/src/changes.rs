//! The change feed. Its stream has no end: a range without changes returns an empty page.

use std::{num::NonZeroU32, time::Duration};

use azure_data_cosmos::{
    CosmosClient, PartitionKey,
    clients::{ContainerClient, DatabaseClient},
    feed::{ContinuationToken, FeedScope},
    models::{ChangeFeedItem, ChangeFeedOperationType, ChangeFeedPolicy, ContainerProperties},
    options::{ChangeFeedMode, ChangeFeedOptions, ChangeFeedStartFrom, MaxItemCountHint},
};
use futures::{FutureExt, StreamExt};
use serde_json::{Value, json};
use time::OffsetDateTime;

use crate::{Outcome, Scenario, client, expect, in_database, made_container, new_container, refused};

const KEYS: i64 = 6;

pub fn all() -> Vec<Scenario> {
    vec![
        ("changes.start", in_database(start).boxed_local()),
        ("changes.scopes", in_database(scopes).boxed_local()),
        ("changes.hierarchical", in_database(hierarchical).boxed_local()),
        ("changes.versions", in_database(versions).boxed_local()),
    ]
}

/// Reads until no range has anything new. Returns the changes and where to go on.
async fn read(
    items: &ContainerClient,
    scope: FeedScope,
    from: ChangeFeedStartFrom,
    options: ChangeFeedOptions,
) -> Outcome<(Vec<ChangeFeedItem<Value>>, ContinuationToken)> {
    // The SDK follows splits, but not merges: it may read more ranges than there are.
    let ranges = items.read_feed_ranges(None).await?.len() + 16;
    let limit = MaxItemCountHint::Limit(NonZeroU32::new(4).ok_or("zero")?);
    let mut pages = items.query_change_feed::<Value>(scope, from, Some(options.with_max_item_count(limit))).await?;
    let mut changes = Vec::new();
    let mut empty = 0;
    while empty <= ranges {
        let page = pages.next().await.ok_or("the stream ended")??;
        empty = if page.items().is_empty() { empty + 1 } else { 0 };
        changes.extend(page.into_items());
    }
    Ok((changes, pages.to_continuation_token()?))
}

fn id_of(change: &ChangeFeedItem<Value>) -> Outcome<String> {
    expect("lsn", change.metadata().and_then(|each| each.lsn()).is_some_and(|lsn| lsn.value() > 0), true)?;
    Ok(change.current().and_then(|item| item["id"].as_str()).ok_or("no id")?.to_owned())
}

/// The ids of the latest versions.
async fn ids(items: &ContainerClient, scope: FeedScope, from: ChangeFeedStartFrom) -> Outcome<Vec<String>> {
    read(items, scope, from, ChangeFeedOptions::default()).await?.0.iter().map(id_of).collect()
}

async fn fill(items: &ContainerClient, numbers: std::ops::Range<i64>) -> Outcome<Vec<String>> {
    let mut ids = Vec::new();
    for n in numbers {
        let (id, pk) = (n.to_string(), format!("key {}", n % KEYS));
        items.create_item(pk.clone(), &id, json!({"id": id, "pk": pk}), None).await?;
        ids.push(id);
    }
    Ok(ids)
}

fn sorted(mut ids: Vec<String>) -> Vec<String> {
    ids.sort();
    ids
}

async fn start(_: CosmosClient, database: DatabaseClient) -> Outcome {
    let items = new_container(&database, "items", "/pk").await?;
    let first = fill(&items, 0..20).await?;
    let everything = FeedScope::full_container;
    let none = ChangeFeedOptions::default;
    let (changes, beginning) = read(&items, everything(), ChangeFeedStartFrom::Beginning, none()).await?;
    let seen: Outcome<Vec<String>> = changes.iter().map(id_of).collect();
    expect("from the beginning", sorted(seen?), sorted(first))?;
    let (changes, now) = read(&items, everything(), ChangeFeedStartFrom::Now, none()).await?;
    expect("from now", changes.len(), 0)?;
    tokio::time::sleep(Duration::from_millis(2100)).await;
    let moment = OffsetDateTime::now_utc();
    let mut since = fill(&items, 20..30).await?;
    items.replace_item("key 3", "3", json!({"id": "3", "pk": "key 3", "again": true}), None).await?;
    items.delete_item("key 4", "4", None).await?;
    since.push("3".to_owned());
    let since = sorted(since);
    let later = ids(&items, everything(), ChangeFeedStartFrom::PointInTime(moment)).await?;
    expect("from a time", sorted(later), since.clone())?;
    let other = client().await?.database_client(database.id()).container_client("items", None).await?;
    for token in [beginning, now] {
        let options = none().with_continuation_token(token);
        let (changes, _) = read(&other, everything(), ChangeFeedStartFrom::Beginning, options).await?;
        let seen: Outcome<Vec<String>> = changes.iter().map(id_of).collect();
        expect("from a continuation", sorted(seen?), since.clone())?;
    }
    Ok(())
}

async fn scopes(_: CosmosClient, database: DatabaseClient) -> Outcome {
    let items = new_container(&database, "items", "/pk").await?;
    let all = fill(&items, 0..30).await?;
    let of_key = ids(&items, FeedScope::partition("key 2"), ChangeFeedStartFrom::Beginning).await?;
    expect("of a key", of_key, ["2", "8", "14", "20", "26"].map(str::to_owned).to_vec())?;
    let mut of_ranges = Vec::new();
    for range in items.read_feed_ranges(None).await? {
        of_ranges.extend(ids(&items, FeedScope::range(range), ChangeFeedStartFrom::Beginning).await?);
    }
    expect("of all ranges", sorted(of_ranges), sorted(all))
}

async fn hierarchical(_: CosmosClient, database: DatabaseClient) -> Outcome {
    let items = new_container(&database, "h", ("/tenant", "/user")).await?;
    for n in 0..12 {
        let (id, tenant, user) = (n.to_string(), format!("t{}", n % 3), format!("u{}", n % 4));
        let item = json!({"id": id, "tenant": tenant, "user": user});
        items.create_item((tenant, user), &id, item, None).await?;
    }
    let full = FeedScope::partition(PartitionKey::from(("t1", "u1")));
    expect("full key", ids(&items, full, ChangeFeedStartFrom::Beginning).await?, vec!["1".to_owned()])?;
    let prefix = FeedScope::partition(PartitionKey::from("t1"));
    let below = ids(&items, prefix, ChangeFeedStartFrom::Beginning).await?;
    expect("first level", sorted(below), ["1", "10", "4", "7"].map(str::to_owned).to_vec())
}

async fn versions(_: CosmosClient, database: DatabaseClient) -> Outcome {
    let policy = ChangeFeedPolicy::default().with_retention_duration(Duration::from_secs(300));
    let properties = ContainerProperties::new("v", "/pk".into()).with_change_feed_policy(policy);
    let items = made_container(&database, properties).await?;
    let kept = items.read(None).await?.into_model()?.change_feed_policy.and_then(|each| each.retention_duration());
    expect("policy", kept, Some(Duration::from_secs(300)))?;
    let options = || ChangeFeedOptions::default().with_mode(ChangeFeedMode::AllVersionsAndDeletes);
    items.create_item("a", "0", json!({"id": "0", "pk": "a"}), None).await?;
    let (changes, token) = read(&items, FeedScope::full_container(), ChangeFeedStartFrom::Now, options()).await?;
    expect("from now", changes.len(), 0)?;
    items.create_item("a", "1", json!({"id": "1", "pk": "a"}), None).await?;
    items.replace_item("a", "1", json!({"id": "1", "pk": "a", "n": 1}), None).await?;
    items.delete_item("a", "1", None).await?;
    let resumed = options().with_continuation_token(token);
    let (changes, _) = read(&items, FeedScope::full_container(), ChangeFeedStartFrom::Now, resumed).await?;
    let kinds: Vec<_> = changes.iter().map(|change| change.operation_type()).collect();
    use ChangeFeedOperationType::{Create, Delete, Replace};
    expect("kinds", kinds, vec![Some(Create), Some(Replace), Some(Delete)])?;
    expect("replaced", changes[1].current().map(|item| item["n"].clone()), Some(json!(1)))?;
    expect("deleted", changes[2].previous().map(|item| item["n"].clone()), Some(json!(1)))?;
    let of_delete = changes[2].metadata().ok_or("no metadata")?;
    expect("id", of_delete.id(), Some("1"))?;
    expect("previous LSN", of_delete.previous_image_lsn(), changes[1].metadata().and_then(|each| each.lsn()))?;
    let mut pages = items
        .query_change_feed::<Value>(FeedScope::full_container(), ChangeFeedStartFrom::Beginning, Some(options()))
        .await?;
    refused(pages.next().await.ok_or("the stream ended")?, 400)?;
    Ok(())
}
