import com.azure.cosmos.CosmosContainer;
import com.azure.cosmos.CosmosDatabase;
import com.azure.cosmos.CosmosException;
import com.azure.cosmos.implementation.feedranges.FeedRangeEpkImpl;
import com.azure.cosmos.models.CosmosContainerProperties;
import com.azure.cosmos.models.CosmosContainerResponse;
import com.azure.cosmos.models.CosmosDatabaseProperties;
import com.azure.cosmos.models.CosmosDatabaseResponse;
import com.azure.cosmos.models.CosmosQueryRequestOptions;
import com.azure.cosmos.models.ExcludedPath;
import com.azure.cosmos.models.FeedRange;
import com.azure.cosmos.models.FeedResponse;
import com.azure.cosmos.models.IncludedPath;
import com.azure.cosmos.models.IndexingMode;
import com.azure.cosmos.models.IndexingPolicy;
import com.azure.cosmos.models.PartitionKey;
import com.azure.cosmos.models.SqlParameter;
import com.azure.cosmos.models.SqlQuerySpec;
import com.azure.cosmos.models.ThroughputProperties;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Databases, containers, throughput, partitions. */
final class Resources {
    private Resources() {}

    static void register() {
        Suite.scenario("database.lifecycle", Resources::databaseLifecycle);
        Suite.scenarioInDatabase("database.conflict",
            database -> Suite.refused(409, () -> Suite.client.createDatabase(database.getId())));
        Suite.scenario("database.missing", () -> {
            CosmosDatabase none = Suite.client.getDatabase(Suite.randomId("none"));
            Suite.refused(404, none::read);
            Suite.refused(404, none::delete);
        });
        Suite.scenario("database.create_if_not_exists", Resources::databaseIfNotExists);
        Suite.scenarioInDatabase("database.query_by_id", database -> {
            Suite.expect("found", databaseIds(database.getId()), List.of(database.getId()));
            Suite.expect("found", databaseIds(Suite.randomId("none")), List.of());
        });
        Suite.scenario("database.query", Resources::databaseQuery);
        Suite.scenarioInDatabase("container.query", Resources::containerQuery);
        Suite.scenarioInDatabase("container.lifecycle", Resources::containerLifecycle);
        Suite.scenarioInDatabase("container.conflict", database -> {
            database.createContainer("one", "/pk");
            Suite.refused(409, () -> database.createContainer("one", "/pk"));
        });
        Suite.scenarioInDatabase("container.create_if_not_exists", database -> {
            CosmosContainerResponse first = database.createContainerIfNotExists("one", "/pk");
            CosmosContainerResponse second = database.createContainerIfNotExists("one", "/pk");
            Suite.expect("first", first.getStatusCode(), 201);
            Suite.expect("second", second.getStatusCode(), 200);
            Suite.expect("rid", second.getProperties().getResourceId(), first.getProperties().getResourceId());
        });
        Suite.scenarioInDatabase("container.query_by_id", database -> {
            database.createContainer("items", "/pk");
            database.createContainer("other", "/pk");
            Suite.expect("found", containerIds(database, "items"), List.of("items"));
            Suite.expect("found", containerIds(database, Suite.randomId("none")), List.of());
        });
        Suite.scenarioInDatabase("container.index_paths", Resources::indexPaths);
        Suite.scenarioInDatabase("container.throughput", Resources::throughput);
        Suite.scenarioInContainer("container.partitions", "/pk", Resources::partitions);
        Suite.scenarioInDatabase("feed.containers", Resources::containerFeed);
        // The SDK reads the account while building a client, and wraps its errors.
        Suite.scenario("auth.wrong_key", () -> Suite.refused(401, () -> {
            try {
                Suite.newClient(Suite.otherKey()).getDatabase("any").read();
            } catch (RuntimeException problem) {
                throw problem.getCause() instanceof CosmosException ? (CosmosException) problem.getCause() : problem;
            }
        }));
    }

    private static void databaseLifecycle() throws Exception {
        String id = Suite.randomId("java");
        CosmosDatabaseResponse created = Suite.client.createDatabase(id);
        CosmosDatabase database = Suite.client.getDatabase(id);
        CosmosDatabaseResponse read = database.read();
        Suite.expect("create", created.getStatusCode(), 201);
        Suite.expect("read", read.getStatusCode(), 200);
        Suite.expect("rid", read.getProperties().getResourceId(), created.getProperties().getResourceId());
        Suite.expect("listed", Suite.client.readAllDatabases().stream()
            .filter(each -> each.getId().equals(id)).count(), 1L);
        Suite.expect("delete", database.delete().getStatusCode(), 204);
        Suite.refused(404, database::read);
    }

    private static final String SORTED = "SELECT r.id FROM r WHERE r.id LIKE '%s' AND r.id != '%sc' ORDER BY r.id DESC";

    private static void databaseQuery() {
        String prefix = Suite.randomId("java");
        List<String> names = List.of(prefix + "b", prefix + "c", prefix + "a");
        try {
            for (String id : names) Suite.client.createDatabase(id);
            List<String> found = new ArrayList<>();
            for (FeedResponse<CosmosDatabaseProperties> page : Suite.client.queryDatabases(
                    String.format(SORTED, prefix + "%", prefix), new CosmosQueryRequestOptions()).iterableByPage(1)) {
                Suite.expect("page of at most 1", page.getResults().size() <= 1, true);
                page.getResults().forEach(each -> found.add(each.getId()));
            }
            Suite.expect("found", found, List.of(prefix + "b", prefix + "a"));
        } finally {
            for (String id : names) Suite.client.getDatabase(id).delete();
        }
    }

    private static void containerQuery(CosmosDatabase database) throws Exception {
        for (String id : List.of("c-b", "c-c", "c-a")) database.createContainer(id, "/pk");
        Suite.expect("found", database.queryContainers(String.format(SORTED, "c-%", "c-")).stream()
            .map(CosmosContainerProperties::getId).collect(Collectors.toList()), List.of("c-b", "c-a"));
        Suite.expect("found", database.queryContainers("SELECT TOP 1 * FROM r ORDER BY r.id").stream()
            .map(each -> each.getPartitionKeyDefinition().getPaths()).collect(Collectors.toList()), List.of(List.of("/pk")));
        Suite.refused(400, () -> database.queryContainers("SELECT * FORM r").stream().count());
    }

    private static void databaseIfNotExists() {
        String id = Suite.randomId("java");
        CosmosDatabaseResponse first = Suite.client.createDatabaseIfNotExists(id);
        try {
            CosmosDatabaseResponse second = Suite.client.createDatabaseIfNotExists(id);
            Suite.expect("first", first.getStatusCode(), 201);
            Suite.expect("second", second.getStatusCode(), 200);
            Suite.expect("rid", second.getProperties().getResourceId(), first.getProperties().getResourceId());
        } finally {
            Suite.client.getDatabase(id).delete();
        }
    }

    private static void containerLifecycle(CosmosDatabase database) throws Exception {
        CosmosContainerResponse created = database.createContainer("one", "/pk");
        CosmosContainer container = database.getContainer("one");
        CosmosContainerResponse read = container.read();
        Suite.expect("create", created.getStatusCode(), 201);
        Suite.expect("read", read.getStatusCode(), 200);
        Suite.expect("rid", read.getProperties().getResourceId(), created.getProperties().getResourceId());
        Suite.expect("paths", read.getProperties().getPartitionKeyDefinition().getPaths(), List.of("/pk"));
        Suite.expect("listed", database.readAllContainers().stream()
            .map(CosmosContainerProperties::getId).collect(Collectors.toList()), List.of("one"));
        Suite.expect("delete", container.delete().getStatusCode(), 204);
        Suite.refused(404, container::read);
    }

    private static void indexPaths(CosmosDatabase database) throws Exception {
        database.createContainer(new CosmosContainerProperties("items", "/pk").setIndexingPolicy(new IndexingPolicy()
            .setIndexingMode(IndexingMode.LAZY)
            .setIncludedPaths(List.of(new IncludedPath("/")))
            .setExcludedPaths(List.of(new ExcludedPath("/\"systemMetadata\"/*")))));
        CosmosContainer container = database.getContainer("items");
        IndexingPolicy policy = container.read().getProperties().getIndexingPolicy();
        Suite.expect("mode", policy.getIndexingMode(), IndexingMode.CONSISTENT);
        Suite.expect("automatic", policy.isAutomatic(), true);
        Suite.expect("included", policy.getIncludedPaths().stream()
            .map(IncludedPath::getPath).collect(Collectors.toList()), List.of("/"));
        Suite.expect("excluded", policy.getExcludedPaths().stream()
            .map(ExcludedPath::getPath).collect(Collectors.toList()), List.of("/\"systemMetadata\"/*", "/\"_etag\"/?"));
        for (int n : new int[] {2, 3, 1}) {
            container.createItem(Map.of("id", "" + n, "pk", "a", "n", n, "systemMetadata", n));
        }
        Suite.expect("ordered", ordered(container, "n"), List.of(1, 2, 3));
        Suite.refused(400, () -> ordered(container, "systemMetadata"));
    }

    private static List<Integer> ordered(CosmosContainer container, String path) {
        return container.queryItems("SELECT VALUE c.n FROM c ORDER BY c." + path,
                new CosmosQueryRequestOptions().setPartitionKey(new PartitionKey("a")), Integer.class)
            .stream().collect(Collectors.toList());
    }

    private static void throughput(CosmosDatabase database) {
        for (int ru : new int[] {400, 20000}) {
            database.createContainer("ru" + ru, "/pk", ThroughputProperties.createManualThroughput(ru));
            Suite.expect("throughput",
                database.getContainer("ru" + ru).readThroughput().getProperties().getManualThroughput(), ru);
        }
    }

    private static void partitions(CosmosContainer container) {
        List<FeedRangeEpkImpl> ranges = new ArrayList<>();
        for (FeedRange each : container.getFeedRanges()) ranges.add((FeedRangeEpkImpl) each);
        ranges.sort(Comparator.comparing(each -> each.getRange().getMin()));
        Suite.expect("first", ranges.get(0).getRange().getMin(), "");
        Suite.expect("last", ranges.get(ranges.size() - 1).getRange().getMax(), "FF");
        for (int index = 1; index < ranges.size(); index++) {
            Suite.expect("bound", ranges.get(index).getRange().getMin(), ranges.get(index - 1).getRange().getMax());
        }
        String wanted = System.getenv("ORRERY_PARTITIONS");
        if (wanted != null && !wanted.isEmpty()) Suite.expect("ranges", ranges.size(), Integer.parseInt(wanted));
    }

    private static void containerFeed(CosmosDatabase database) {
        List<String> wanted = List.of("c0", "c1", "c2", "c3", "c4");
        for (String id : wanted) database.createContainer(id, "/pk");
        List<String> found = new ArrayList<>();
        int pages = 0;
        for (FeedResponse<CosmosContainerProperties> page : database.readAllContainers().iterableByPage(2)) {
            Suite.expect("page of at most 2", page.getResults().size() <= 2, true);
            page.getResults().forEach(each -> found.add(each.getId()));
            pages++;
        }
        Collections.sort(found);
        Suite.expect("containers", found, wanted);
        Suite.expect("at least 3 pages", pages >= 3, true);
    }

    private static List<String> databaseIds(String id) {
        return Suite.client.queryDatabases(byId(id), new CosmosQueryRequestOptions()).stream()
            .map(CosmosDatabaseProperties::getId).collect(Collectors.toList());
    }

    private static List<String> containerIds(CosmosDatabase database, String id) {
        return database.queryContainers(byId(id)).stream()
            .map(CosmosContainerProperties::getId).collect(Collectors.toList());
    }

    static SqlQuerySpec byId(String id) {
        return new SqlQuerySpec("SELECT * FROM root r WHERE r.id=@id", new SqlParameter("@id", id));
    }
}
