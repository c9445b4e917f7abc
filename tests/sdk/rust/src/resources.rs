//! Databases, containers, throughput, partitions, accounts.

use azure_data_cosmos::{
    CosmosClient, Query,
    clients::DatabaseClient,
    models::{
        CompositeIndex, CompositeIndexOrder, CompositeIndexProperty, ConflictResolutionMode, ContainerProperties,
        IndexingMode, IndexingPolicy, PartitionKeyKind, PropertyPath, ThroughputProperties, TimeToLive, UniqueKey,
        UniqueKeyPolicy,
    },
    options::CreateContainerOptions,
};
use futures::{FutureExt, TryStreamExt};

use crate::{
    Outcome, Scenario, client, client_with, expect, in_database, made_container, new_container, random_id, refused,
    setting,
};

pub fn all() -> Vec<Scenario> {
    vec![
        ("database.lifecycle", database_lifecycle().boxed_local()),
        ("database.conflict", in_database(database_conflict).boxed_local()),
        ("database.missing", database_missing().boxed_local()),
        ("database.query_by_id", in_database(database_query).boxed_local()),
        ("container.lifecycle", in_database(container_lifecycle).boxed_local()),
        ("container.conflict", in_database(container_conflict).boxed_local()),
        ("container.query_by_id", in_database(container_query).boxed_local()),
        ("container.defaults", in_database(container_defaults).boxed_local()),
        ("container.policies", in_database(container_policies).boxed_local()),
        ("container.replace", in_database(container_replace).boxed_local()),
        ("container.partition_key_fixed", in_database(partition_key_fixed).boxed_local()),
        ("container.throughput", in_database(container_throughput).boxed_local()),
        ("container.partitions", in_database(container_partitions).boxed_local()),
        ("auth.wrong_key", wrong_key().boxed_local()),
    ]
}

fn by_id(id: &str) -> Outcome<Query> {
    Ok(Query::from("SELECT * FROM root r WHERE r.id=@id").with_parameter("@id", id)?)
}

async fn database_lifecycle() -> Outcome {
    let client = client().await?;
    let id = random_id("rust");
    let created = client.create_database(&id, None).await?;
    expect("create", u16::from(created.status()), 201)?;
    let rid = created.into_model()?.system_properties.resource_id;
    let database = client.database_client(&id);
    let read = database.read(None).await?;
    expect("read", u16::from(read.status()), 200)?;
    expect("rid", read.into_model()?.system_properties.resource_id, rid)?;
    expect("delete", u16::from(database.delete(None).await?.status()), 204)?;
    refused(database.read(None).await, 404)?;
    Ok(())
}

async fn database_conflict(client: CosmosClient, database: DatabaseClient) -> Outcome {
    refused(client.create_database(database.name().unwrap_or_default(), None).await, 409)?;
    Ok(())
}

async fn database_missing() -> Outcome {
    let database = client().await?.database_client(random_id("none"));
    refused(database.read(None).await, 404)?;
    refused(database.delete(None).await, 404)?;
    Ok(())
}

async fn database_query(client: CosmosClient, database: DatabaseClient) -> Outcome {
    let id = database.name().unwrap_or_default();
    let found: Vec<_> = client.query_databases(by_id(id)?, None).await?.try_collect().await?;
    expect("found", found.len(), 1)?;
    expect("id", found[0].id.as_deref(), Some(id))?;
    let none: Vec<_> = client.query_databases(by_id(&random_id("none"))?, None).await?.try_collect().await?;
    expect("none", none.len(), 0)
}

async fn container_lifecycle(_: CosmosClient, database: DatabaseClient) -> Outcome {
    let created = database.create_container(ContainerProperties::new("one", "/pk".into()), None).await?;
    expect("create", u16::from(created.status()), 201)?;
    let rid = created.into_model()?.system_properties.resource_id;
    let container = database.container_client("one", None).await?;
    let read = container.read(None).await?;
    expect("read", u16::from(read.status()), 200)?;
    let read = read.into_model()?;
    expect("rid", read.system_properties.resource_id, rid)?;
    expect("paths", read.partition_key.paths(), ["/pk"])?;
    expect("version", read.partition_key.version().value(), 2)?;
    expect("delete", u16::from(container.delete(None).await?.status()), 204)?;
    refused(container.read(None).await, 404)?;
    Ok(())
}

async fn container_conflict(_: CosmosClient, database: DatabaseClient) -> Outcome {
    new_container(&database, "one", "/pk").await?;
    let properties = ContainerProperties::new("one", "/pk".into());
    refused(database.create_container(properties, None).await, 409)?;
    Ok(())
}

async fn container_query(_: CosmosClient, database: DatabaseClient) -> Outcome {
    new_container(&database, "items", "/pk").await?;
    new_container(&database, "other", "/pk").await?;
    let found: Vec<_> = database.query_containers(by_id("items")?, None).await?.try_collect().await?;
    expect("found", found.len(), 1)?;
    expect("id", &*found[0].id, "items")?;
    let none: Vec<_> = database.query_containers(by_id("none")?, None).await?.try_collect().await?;
    expect("none", none.len(), 0)
}

fn paths(paths: &[PropertyPath]) -> Vec<&str> {
    paths.iter().map(|each| each.path.as_str()).collect()
}

async fn container_defaults(_: CosmosClient, database: DatabaseClient) -> Outcome {
    let read = new_container(&database, "plain", "/pk").await?.read(None).await?.into_model()?;
    expect("kind", read.partition_key.kind(), PartitionKeyKind::Hash)?;
    let indexing = read.indexing_policy.ok_or("no indexing policy")?;
    expect("mode", indexing.indexing_mode, Some(IndexingMode::Consistent))?;
    expect("automatic", indexing.automatic, true)?;
    expect("included", paths(&indexing.included_paths), vec!["/*"])?;
    expect("excluded", paths(&indexing.excluded_paths), vec!["/\"_etag\"/?"])?;
    let conflicts = read.conflict_resolution_policy.ok_or("no conflict resolution policy")?;
    expect("conflicts", conflicts.mode, ConflictResolutionMode::LastWriterWins)?;
    expect("resolution path", conflicts.resolution_path.as_str(), "/_ts")?;
    expect("ttl", read.default_ttl, TimeToLive::Forever)
}

fn indexing() -> IndexingPolicy {
    let mut policy = IndexingPolicy::default();
    policy.automatic = true;
    policy
        .with_indexing_mode(IndexingMode::Consistent)
        .with_included_path("/*")
        .with_excluded_path("/secret/*")
        .with_composite_index(
            CompositeIndex::default()
                .with_property(CompositeIndexProperty::new("/name", CompositeIndexOrder::Ascending))
                .with_property(CompositeIndexProperty::new("/age", CompositeIndexOrder::Descending)),
        )
}

async fn container_policies(_: CosmosClient, database: DatabaseClient) -> Outcome {
    let unique = UniqueKeyPolicy::default().with_unique_key(UniqueKey::default().with_path("/email"));
    let sent = ContainerProperties::new("rich", "/pk".into())
        .with_default_ttl(3600)
        .with_unique_key_policy(unique)
        .with_indexing_policy(indexing());
    let created = database.create_container(sent.clone(), None).await?.into_model()?;
    let read = database.container_client("rich", None).await?.read(None).await?.into_model()?;
    for got in [created, read] {
        expect("version", got.partition_key.version().value(), 2)?;
        expect("ttl", got.default_ttl, TimeToLive::Seconds(3600))?;
        expect("unique keys", &got.unique_key_policy, &sent.unique_key_policy)?;
        let policy = got.indexing_policy.ok_or("no indexing policy")?;
        expect("included", paths(&policy.included_paths), vec!["/*"])?;
        expect("excluded", paths(&policy.excluded_paths)[0], "/secret/*")?;
        expect("composite", policy.composite_indexes, indexing().composite_indexes)?;
    }
    Ok(())
}

async fn container_replace(_: CosmosClient, database: DatabaseClient) -> Outcome {
    let container = new_container(&database, "plain", "/pk").await?;
    let before = container.read(None).await?.into_model()?;
    let changed = before.clone().with_default_ttl(60).with_indexing_policy(indexing());
    let replaced = container.replace(changed, None).await?;
    expect("status", u16::from(replaced.status()), 200)?;
    let read = container.read(None).await?.into_model()?;
    for got in [replaced.into_model()?, read] {
        expect("ttl", got.default_ttl, TimeToLive::Seconds(60))?;
        expect("rid", &got.system_properties.resource_id, &before.system_properties.resource_id)?;
        let policy = got.indexing_policy.ok_or("no indexing policy")?;
        expect("excluded", paths(&policy.excluded_paths)[0], "/secret/*")?;
    }
    Ok(())
}

async fn partition_key_fixed(_: CosmosClient, database: DatabaseClient) -> Outcome {
    let container = new_container(&database, "plain", "/pk").await?;
    refused(container.replace(ContainerProperties::new("plain", "/other".into()), None).await, 400)?;
    expect("paths", container.read(None).await?.into_model()?.partition_key.paths(), ["/pk"])
}

async fn container_throughput(_: CosmosClient, database: DatabaseClient) -> Outcome {
    for (id, throughput) in [("ru400", 400), ("ru20000", 20_000)] {
        let options = CreateContainerOptions::default().with_throughput(ThroughputProperties::manual(throughput));
        database.create_container(ContainerProperties::new(id, "/pk".into()), Some(options)).await?;
        let read = database.container_client(id, None).await?.read_throughput(None).await?;
        expect("throughput", read.ok_or("no throughput")?.throughput(), Some(throughput))?;
    }
    Ok(())
}

async fn container_partitions(_: CosmosClient, database: DatabaseClient) -> Outcome {
    let container = made_container(&database, ContainerProperties::new("plain", "/pk".into())).await?;
    let mut ranges = container.read_feed_ranges(None).await?;
    ranges.sort_by(|a, b| a.min_inclusive().cmp(b.min_inclusive()));
    for pair in ranges.windows(2) {
        expect("bound", pair[1].min_inclusive(), pair[0].max_exclusive())?;
    }
    let wanted = setting("ORRERY_PARTITIONS");
    if !wanted.is_empty() {
        expect("ranges", ranges.len().to_string(), wanted)?;
    }
    expect("first", ranges.first().map(|each| each.min_inclusive().to_hex()), Some(String::new()))?;
    expect("last", ranges.last().map(|each| each.max_exclusive().to_hex()), Some("FF".to_owned()))
}

async fn wrong_key() -> Outcome {
    // 64 bytes of 7, in base64. The client asks for the account before it is built.
    let key = "BwcH".repeat(21) + "Bw==";
    refused(client_with(key).await, 401)?;
    Ok(())
}
