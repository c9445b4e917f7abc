//! Queries over 60 items under 12 keys. Over all partitions this SDK merges ORDER BY, TOP, OFFSET and
//! DISTINCT; aggregates and groups it leaves to queries of one key.

use std::{collections::HashSet, error::Error, future::Future, num::NonZeroU32};

use azure_data_cosmos::{
    Query,
    clients::ContainerClient,
    feed::{FeedScope, QueryFeedPage},
    options::{MaxItemCountHint, QueryOptions},
};
use futures::{FutureExt, StreamExt, TryStreamExt};
use serde_json::{Value, json};

use crate::{Outcome, Scenario, client, expect, in_container, in_database, new_container, refused, setting};

pub fn all() -> Vec<Scenario> {
    vec![
        ("query.filter", in_queried(filter).boxed_local()),
        ("query.paging", in_queried(paging).boxed_local()),
        ("query.one_key", in_queried(one_key).boxed_local()),
        ("query.order_by", in_queried(order_by).boxed_local()),
        ("query.order_by_mixed", in_container(mixed).boxed_local()),
        ("query.top", in_queried(top).boxed_local()),
        ("query.offset_limit", in_queried(offset_limit).boxed_local()),
        ("query.distinct", in_queried(distinct).boxed_local()),
        ("query.aggregates", in_queried(aggregates).boxed_local()),
        ("query.group_by", in_queried(group_by).boxed_local()),
        ("query.resume", resume().boxed_local()),
        ("query.metrics", in_queried(metrics).boxed_local()),
        ("query.refused", in_queried(refused_queries).boxed_local()),
    ]
}

const COUNT: i64 = 60;

fn id_of(n: i64) -> String {
    format!("q-{n:02}")
}

fn n_of(n: i64) -> i64 {
    n * 37 % COUNT
}

async fn fill(items: &ContainerClient) -> Outcome {
    for n in 0..COUNT {
        let pk = format!("key-{}", n % 12);
        let tags = ["all".to_owned(), format!("tag-{}", n % 4)];
        let body = json!({"id": id_of(n), "pk": pk, "n": n_of(n), "mod": n % 5, "tags": tags});
        items.create_item(pk.clone(), &id_of(n), body, None).await?;
    }
    Ok(())
}

async fn in_queried<Body, Running>(body: Body) -> Outcome
where
    Body: FnOnce(ContainerClient) -> Running,
    Running: Future<Output = Outcome>,
{
    in_container(|items| async move {
        fill(&items).await?;
        body(items).await
    })
    .await
}

async fn rows(
    items: &ContainerClient,
    query: impl Into<Query>,
    scope: FeedScope,
) -> azure_data_cosmos::Result<Vec<Value>> {
    items.query_items(query, scope, None).await?.try_collect().await
}

fn as_texts(rows: &[Value]) -> Vec<String> {
    rows.iter().map(|row| row.as_str().map_or_else(|| row.to_string(), str::to_owned)).collect()
}

/// The rows of all partitions, strings without their quotes.
pub async fn texts(items: &ContainerClient, query: &str) -> Outcome<Vec<String>> {
    Ok(as_texts(&rows(items, query, FeedScope::full_container()).await?))
}

async fn of_key(items: &ContainerClient, query: &str) -> Outcome<Vec<String>> {
    Ok(as_texts(&rows(items, query, FeedScope::partition("key-3")).await?))
}

fn ids(keep: impl Fn(i64) -> bool) -> Vec<String> {
    (0..COUNT).filter(|n| keep(*n)).map(id_of).collect()
}

fn ids_by_n() -> Vec<String> {
    let mut all: Vec<i64> = (0..COUNT).collect();
    all.sort_by_key(|n| n_of(*n));
    all.into_iter().map(id_of).collect()
}

fn same(what: &str, mut got: Vec<String>, want: Vec<String>) -> Outcome {
    got.sort();
    expect(what, got, want)
}

async fn filter(items: ContainerClient) -> Outcome {
    let query = Query::from("SELECT VALUE c.id FROM c WHERE c.n >= @low AND c.n < @high")
        .with_parameter("@low", 10)?
        .with_parameter("@high", 25)?;
    let found = rows(&items, query, FeedScope::full_container()).await?;
    same("filtered", as_texts(&found), ids(|n| (10..25).contains(&n_of(n))))?;
    let joined = texts(&items, "SELECT VALUE c.id FROM c JOIN t IN c.tags WHERE t = \"tag-3\"").await?;
    same("joined", joined, ids(|n| n % 4 == 3))
}

fn page_size(size: u32) -> QueryOptions {
    let hint = NonZeroU32::new(size).map_or(MaxItemCountHint::ServerDecides, MaxItemCountHint::Limit);
    QueryOptions::default().with_max_item_count(hint)
}

async fn pages(
    items: &ContainerClient,
    query: &str,
    scope: FeedScope,
    options: QueryOptions,
) -> Outcome<Vec<QueryFeedPage<Value>>> {
    Ok(items.query_items(query, scope, Some(options)).await?.into_pages().try_collect().await?)
}

async fn paging(items: ContainerClient) -> Outcome {
    for size in [1, 7, 0] {
        let mut found = Vec::new();
        for page in pages(&items, "SELECT VALUE c.id FROM c", FeedScope::full_container(), page_size(size)).await? {
            expect("page size", size == 0 || page.items().len() <= size as usize, true)?;
            found.extend(as_texts(page.items()));
        }
        same("all", found, ids(|_| true))?;
    }
    Ok(())
}

async fn one_key(items: ContainerClient) -> Outcome {
    let wanted = || ids(|n| n % 12 == 3);
    same("by key", of_key(&items, "SELECT VALUE c.id FROM c").await?, wanted())?;
    let by_filter = texts(&items, "SELECT VALUE c.id FROM c WHERE c.pk = \"key-3\"").await?;
    same("by filter", by_filter, wanted())?;
    let ordered = of_key(&items, "SELECT VALUE c.n FROM c ORDER BY c.n DESC").await?;
    expect("ordered", ordered, vec!["51", "39", "27", "15", "3"])?;
    let asked = async |scope| -> Outcome<usize> {
        let pages = pages(&items, "SELECT VALUE c.id FROM c", scope, page_size(0)).await?;
        let ranges: HashSet<_> =
            pages.iter().filter_map(|page| page.headers().partition_key_range_id().map(str::to_owned)).collect();
        Ok(ranges.len())
    };
    expect("ranges of one key", asked(FeedScope::partition("key-3")).await?, 1)?;
    let partitions = setting("ORRERY_PARTITIONS");
    if !partitions.is_empty() {
        expect("ranges of all", asked(FeedScope::full_container()).await?.to_string(), partitions)?;
    }
    Ok(())
}

async fn order_by(items: ContainerClient) -> Outcome {
    expect("up", texts(&items, "SELECT VALUE c.id FROM c ORDER BY c.n").await?, ids_by_n())?;
    let down: Vec<_> = ids_by_n().into_iter().rev().collect();
    expect("down", texts(&items, "SELECT VALUE c.id FROM c ORDER BY c.n DESC").await?, down)?;
    expect("strings", texts(&items, "SELECT VALUE c.id FROM c ORDER BY c.id").await?, ids(|_| true))?;
    let ties = texts(&items, "SELECT VALUE c.mod FROM c ORDER BY c.mod").await?;
    expect("ties", ties, (0..COUNT).map(|n| (n / 12).to_string()).collect::<Vec<_>>())?;
    let whole = rows(&items, "SELECT * FROM c ORDER BY c.n", FeedScope::full_container()).await?;
    let whole: Vec<_> = whole.iter().map(|row| row["id"].as_str().unwrap_or_default().to_owned()).collect();
    expect("whole items", whole, ids_by_n())
}

async fn mixed(items: ContainerClient) -> Outcome {
    let values = [Value::Null, json!(false), json!(true), json!(-1), json!(2.5), json!("a"), json!("b")];
    items.create_item("key-u", "undefined", json!({"id": "undefined", "pk": "key-u"}), None).await?;
    for (n, value) in values.iter().enumerate().rev() {
        let (id, pk) = (n.to_string(), format!("key-{n}"));
        items.create_item(pk.clone(), &id, json!({"id": id, "pk": pk, "v": value}), None).await?;
    }
    let found = texts(&items, "SELECT VALUE c.id FROM c ORDER BY c.v").await?;
    expect("order", found, vec!["undefined", "0", "1", "2", "3", "4", "5", "6"])
}

async fn top(items: ContainerClient) -> Outcome {
    let first = texts(&items, "SELECT TOP 5 VALUE c.id FROM c ORDER BY c.n").await?;
    expect("first", first, ids_by_n()[..5].to_vec())?;
    expect("some", texts(&items, "SELECT TOP 13 VALUE c.id FROM c").await?.len(), 13)?;
    let query = Query::from("SELECT TOP @n VALUE c.n FROM c ORDER BY c.n DESC").with_parameter("@n", 2)?;
    let found = rows(&items, query, FeedScope::full_container()).await?;
    expect("with a parameter", as_texts(&found), vec!["59", "58"])
}

async fn offset_limit(items: ContainerClient) -> Outcome {
    let part = texts(&items, "SELECT VALUE c.id FROM c ORDER BY c.n OFFSET 10 LIMIT 20").await?;
    expect("ordered", part, ids_by_n()[10..30].to_vec())?;
    expect("rest", texts(&items, "SELECT VALUE c.id FROM c OFFSET 50 LIMIT 100").await?.len(), 10)
}

async fn distinct(items: ContainerClient) -> Outcome {
    let values = texts(&items, "SELECT DISTINCT TOP 100 VALUE c.mod FROM c").await?;
    same("values", values, (0..5).map(|n| n.to_string()).collect())?;
    let ordered = texts(&items, "SELECT DISTINCT VALUE c.mod FROM c ORDER BY c.mod DESC").await?;
    expect("ordered", ordered, vec!["4", "3", "2", "1", "0"])?;
    expect("rows", texts(&items, "SELECT DISTINCT TOP 100 c.mod, c.pk FROM c").await?.len(), 60)
}

async fn aggregates(items: ContainerClient) -> Outcome {
    for (query, want) in [
        ("SELECT VALUE COUNT(1) FROM c", "5"),
        ("SELECT VALUE SUM(c.n) FROM c", "135"),
        ("SELECT VALUE AVG(c.n) FROM c", "27"),
        ("SELECT VALUE MIN(c.n) FROM c", "3"),
        ("SELECT VALUE MAX(c.n) FROM c", "51"),
        ("SELECT VALUE COUNT(1) FROM c WHERE c.n > 1000", "0"),
    ] {
        expect(query, of_key(&items, query).await?, vec![want])?;
    }
    Ok(())
}

async fn group_by(items: ContainerClient) -> Outcome {
    let query = "SELECT c.mod, COUNT(1) AS count, SUM(c.n) AS sum FROM c GROUP BY c.mod";
    let mut found = rows(&items, query, FeedScope::partition("key-3")).await?;
    found.sort_by_key(|row| row["mod"].as_i64());
    let want: Vec<_> = [(0, 15), (1, 27), (2, 39), (3, 51), (4, 3)]
        .into_iter()
        .map(|(group, sum)| json!({"mod": group, "count": 1, "sum": sum}))
        .collect();
    expect("groups", found, want)?;
    let none =
        rows(&items, "SELECT c.none, COUNT(1) AS count FROM c GROUP BY c.none", FeedScope::partition("key-3")).await?;
    expect("undefined", none, vec![json!({"count": 5})])
}

async fn resume() -> Outcome {
    in_database(|_, database| async move {
        fill(&new_container(&database, "items", "/pk").await?).await?;
        let name = database.name().unwrap_or_default();
        for (query, ordered) in [("SELECT VALUE c.id FROM c", false), ("SELECT VALUE c.id FROM c ORDER BY c.n", true)] {
            let mut found = Vec::new();
            let mut options = page_size(7);
            for _ in 0..COUNT {
                let items = client().await?.database_client(name).container_client("items", None).await?;
                let mut pages =
                    items.query_items::<Value>(query, FeedScope::full_container(), Some(options)).await?.into_pages();
                let Some(page) = pages.next().await else { break };
                found.extend(as_texts(page?.items()));
                if found.len() == COUNT as usize {
                    break;
                }
                options = page_size(7).with_continuation_token(pages.to_continuation_token()?);
            }
            if ordered {
                expect("ordered", found, ids_by_n())?;
            } else {
                same("all", found, ids(|_| true))?;
            }
        }
        Ok(())
    })
    .await
}

async fn metrics(items: ContainerClient) -> Outcome {
    let options = QueryOptions::default().with_populate_query_metrics(true);
    let mut count = 0;
    for page in pages(&items, "SELECT * FROM c WHERE c.n < 30", FeedScope::full_container(), options).await? {
        let text = page.query_metrics().ok_or("no metrics")?;
        let output = text.split(';').find_map(|each| each.strip_prefix("outputDocumentCount=")).ok_or("no count")?;
        expect("rows", output.parse::<usize>()?, page.items().len())?;
        count += page.items().len();
    }
    expect("all", count, 30)
}

async fn refused_queries(items: ContainerClient) -> Outcome {
    for (query, code) in [
        ("SELECT * FROM c WHERE", "SC1002"),
        ("SELEC * FROM c", "SC1001"),
        ("SELECT VALUE x FROM c", "SC2001"),
        ("SELECT VALUE NOPE(c.n) FROM c", "SC2005"),
        ("SELECT * FROM c ORDER BY LOWER(c.id)", "2206"),
    ] {
        let error = refused(rows(&items, query, FeedScope::partition("key-3")).await, 400)?;
        let cause = error.source().map(|source| source.to_string()).unwrap_or_default();
        expect(query, format!("{error} {cause}").contains(code), true)?;
    }
    Ok(())
}
