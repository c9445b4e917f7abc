//! The suite with the Rust SDK; ../../scenarios.md says what each scenario is. It runs with
//! SSL_CERT_FILE, as README says, and with the SDK's defaults: items go out as binary JSON.

mod batches;
mod changes;
mod items;
mod keys;
mod policies;
mod queries;
mod resources;

use std::{env, error::Error, fmt::Debug, future::Future, process::ExitCode, time::Duration};

use azure_data_cosmos::{
    AccountReference, CosmosClient, CosmosError, RoutingStrategy,
    clients::{ContainerClient, DatabaseClient},
    models::{ContainerProperties, PartitionKeyDefinition},
};
use futures::future::LocalBoxFuture;

pub type Outcome<T = ()> = Result<T, Box<dyn Error>>;
pub type Scenario = (&'static str, LocalBoxFuture<'static, Outcome>);

const SCENARIO_SECONDS: u64 = 60;

fn main() -> ExitCode {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let only = regex_lite::Regex::new(&setting("ORRERY_SCENARIO")).expect("a regular expression");
    let all =
        [resources::all(), items::all(), keys::all(), policies::all(), batches::all(), changes::all(), queries::all()];
    let mut code = ExitCode::SUCCESS;
    for (name, body) in all.into_iter().flatten().filter(|(name, _)| only.is_match(name)) {
        match runtime.block_on(async { tokio::time::timeout(Duration::from_secs(SCENARIO_SECONDS), body).await }) {
            Ok(Ok(())) => println!("pass {name}"),
            Ok(Err(error)) => {
                println!("fail {name}: {}", one_line(&error.to_string()));
                code = ExitCode::FAILURE;
            }
            Err(_) => {
                println!("fail {name}: no end after {SCENARIO_SECONDS} s");
                code = ExitCode::FAILURE;
            }
        }
    }
    code
}

fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().take(600).collect()
}

pub fn setting(name: &str) -> String {
    env::var(name).unwrap_or_default()
}

// --- clients, databases, containers ---

pub async fn client() -> Outcome<CosmosClient> {
    Ok(client_with(setting("ORRERY_KEY")).await?)
}

pub async fn client_with(key: String) -> azure_data_cosmos::Result<CosmosClient> {
    let account = AccountReference::with_authentication_key(setting("ORRERY_ENDPOINT").parse()?, key);
    CosmosClient::builder().build(account, RoutingStrategy::ProximityTo("East US".into())).await
}

pub fn random_id(prefix: &str) -> String {
    use std::hash::{BuildHasher, RandomState};
    format!("{prefix}-{:012x}", RandomState::new().hash_one(prefix) >> 16)
}

/// Runs the body in a database of its own and deletes it whatever happens.
pub async fn in_database<Body, Running>(body: Body) -> Outcome
where
    Body: FnOnce(CosmosClient, DatabaseClient) -> Running,
    Running: Future<Output = Outcome>,
{
    let client = client().await?;
    let id = random_id("rust");
    client.create_database(&id, None).await?;
    let outcome = body(client.clone(), client.database_client(&id)).await;
    client.database_client(&id).delete(None).await?;
    outcome
}

pub async fn in_container<Body, Running>(body: Body) -> Outcome
where
    Body: FnOnce(ContainerClient) -> Running,
    Running: Future<Output = Outcome>,
{
    in_database(|_, database| async move { body(new_container(&database, "items", "/pk").await?).await }).await
}

pub async fn new_container(
    database: &DatabaseClient,
    id: &'static str,
    key: impl Into<PartitionKeyDefinition>,
) -> Outcome<ContainerClient> {
    made_container(database, ContainerProperties::new(id, key.into())).await
}

pub async fn made_container(database: &DatabaseClient, properties: ContainerProperties) -> Outcome<ContainerClient> {
    let id = properties.id.to_string();
    database.create_container(properties, None).await?;
    Ok(database.container_client(id, None).await?)
}

// --- what is expected ---

pub fn expect<Got: PartialEq<Want> + Debug, Want: Debug>(what: &str, got: Got, want: Want) -> Outcome {
    if got == want { Ok(()) } else { Err(format!("{what}: wanted {want:?}, got {got:?}").into()) }
}

/// The error of a request that must be refused with this status.
pub fn refused<T>(result: azure_data_cosmos::Result<T>, status: u16) -> Outcome<CosmosError> {
    match result {
        Err(error) if u16::from(error.status()) == status => Ok(error),
        Err(error) => Err(format!("wanted {status}, got {error}").into()),
        Ok(_) => Err(format!("wanted {status}, got success").into()),
    }
}
