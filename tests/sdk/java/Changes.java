import com.azure.cosmos.ChangeFeedProcessor;
import com.azure.cosmos.ChangeFeedProcessorBuilder;
import com.azure.cosmos.CosmosAsyncClient;
import com.azure.cosmos.CosmosAsyncContainer;
import com.azure.cosmos.CosmosAsyncDatabase;
import com.azure.cosmos.CosmosClientBuilder;
import com.azure.cosmos.CosmosContainer;
import com.azure.cosmos.CosmosDatabase;
import com.azure.cosmos.models.ChangeFeedPolicy;
import com.azure.cosmos.models.ChangeFeedProcessorItem;
import com.azure.cosmos.models.ChangeFeedProcessorOptions;
import com.azure.cosmos.models.CosmosBatch;
import com.azure.cosmos.models.CosmosChangeFeedRequestOptions;
import com.azure.cosmos.models.CosmosContainerProperties;
import com.azure.cosmos.models.CosmosItemRequestOptions;
import com.azure.cosmos.models.FeedRange;
import com.azure.cosmos.models.FeedResponse;
import com.azure.cosmos.models.PartitionKey;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** The change feed: pull model and processor. */
final class Changes {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final int KEYS = 6;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private Changes() {}

    static void register() {
        Suite.scenarioInContainer("changes.start", "/pk", Changes::start);
        Suite.scenarioInContainer("changes.scopes", "/pk", Changes::scopes);
        Suite.scenarioInContainer("changes.transactions", "/pk", Changes::transactions);
        Suite.scenarioInDatabase("changes.versions", Changes::versions);
        Suite.scenarioInDatabase("changes.processor", database -> process(database, false));
        Suite.scenarioInDatabase("changes.processor_envelope", database -> process(database, true));
    }

    /** What one reader has got, and where it goes on. */
    private static final class Read {
        final List<String> ids = new ArrayList<>();
        String token;
    }

    private static Read read(CosmosContainer items, CosmosChangeFeedRequestOptions options) {
        Read out = new Read();
        options.setMaxItemCount(4);
        for (FeedResponse<ObjectNode> page : items.queryChangeFeed(options, ObjectNode.class).iterableByPage()) {
            for (ObjectNode item : page.getResults()) {
                if (item.get("_lsn").longValue() <= 0) throw new AssertionError("_lsn");
                out.ids.add(item.get("id").textValue());
            }
            out.token = page.getContinuationToken();
        }
        return out;
    }

    private static void start(CosmosContainer items) throws Exception {
        List<String> first = fill(items, 0, 20);
        FeedRange all = FeedRange.forFullRange();
        Read beginning = read(items, CosmosChangeFeedRequestOptions.createForProcessingFromBeginning(all));
        same("from the beginning", beginning.ids, first);
        Read now = read(items, CosmosChangeFeedRequestOptions.createForProcessingFromNow(all));
        Suite.expect("from now", now.ids, List.of());
        Thread.sleep(2100);
        Instant time = Instant.now();
        List<String> since = fill(items, 20, 10);
        items.replaceItem(item(3).put("again", true), "3", new PartitionKey("key 3"), new CosmosItemRequestOptions());
        items.deleteItem("4", new PartitionKey("key 4"), new CosmosItemRequestOptions());
        since.add("3");
        same("from a time", read(items,
            CosmosChangeFeedRequestOptions.createForProcessingFromPointInTime(time, all)).ids, since);
        for (Read earlier : List.of(beginning, now)) {
            same("from a continuation", read(items,
                CosmosChangeFeedRequestOptions.createForProcessingFromContinuation(earlier.token)).ids, since);
        }
    }

    private static void scopes(CosmosContainer items) {
        List<String> all = fill(items, 0, 30);
        List<String> ofKey = read(items, CosmosChangeFeedRequestOptions.createForProcessingFromBeginning(
            FeedRange.forLogicalPartition(new PartitionKey("key 2")))).ids;
        Suite.expect("of a key", ofKey, List.of("2", "8", "14", "20", "26"));
        List<String> ofRanges = new ArrayList<>();
        for (FeedRange range : items.getFeedRanges()) {
            ofRanges.addAll(read(items, CosmosChangeFeedRequestOptions.createForProcessingFromBeginning(range)).ids);
        }
        same("of all ranges", ofRanges, all);
    }

    private static void transactions(CosmosContainer items) {
        FeedRange all = FeedRange.forFullRange();
        Read now = read(items, CosmosChangeFeedRequestOptions.createForProcessingFromNow(all));
        List<String> ids = List.of("9", "1", "5", "3", "7", "2");
        CosmosBatch batch = CosmosBatch.createCosmosBatch(new PartitionKey("a"));
        for (String id : ids) batch.createItemOperation(MAPPER.createObjectNode().put("id", id).put("pk", "a"));
        Suite.expect("batch", items.executeCosmosBatch(batch).isSuccessStatusCode(), true);
        CosmosChangeFeedRequestOptions options =
            CosmosChangeFeedRequestOptions.createForProcessingFromContinuation(now.token).setMaxItemCount(2);
        for (FeedResponse<ObjectNode> page : items.queryChangeFeed(options, ObjectNode.class).iterableByPage()) {
            if (page.getResults().isEmpty()) continue;
            List<String> got = new ArrayList<>();
            page.getResults().forEach(item -> got.add(item.get("id").textValue()));
            Suite.expect("one page, in order", got, ids);
            return;
        }
        throw new AssertionError("no changes");
    }

    private static void versions(CosmosDatabase database) {
        database.createContainer(new CosmosContainerProperties("v", "/pk").setChangeFeedPolicy(
            ChangeFeedPolicy.createAllVersionsAndDeletesPolicy(Duration.ofMinutes(5))));
        CosmosContainer items = database.getContainer("v");
        items.createItem(item(0));
        List<ChangeFeedProcessorItem> changed = new ArrayList<>();
        String token = readVersions(items, CosmosChangeFeedRequestOptions.createForProcessingFromNow(
            FeedRange.forFullRange()), changed);
        Suite.expect("from now", changed.size(), 0);
        items.createItem(item(1));
        items.replaceItem(item(1).put("n", 1), "1", new PartitionKey("key 1"), new CosmosItemRequestOptions());
        items.deleteItem("1", new PartitionKey("key 1"), new CosmosItemRequestOptions());
        readVersions(items, CosmosChangeFeedRequestOptions.createForProcessingFromContinuation(token), changed);
        List<String> kinds = new ArrayList<>();
        changed.forEach(change -> kinds.add(change.getChangeFeedMetaData().getOperationType().toString().toLowerCase()));
        Suite.expect("kinds", kinds, List.of("create", "replace", "delete"));
        Suite.expect("replaced", changed.get(1).getCurrent().get("n").intValue(), 1);
        Suite.expect("deleted", changed.get(2).getPrevious().get("n").intValue(), 1);
        Suite.expect("previous LSN", changed.get(2).getChangeFeedMetaData().getPreviousLogSequenceNumber(),
            changed.get(1).getChangeFeedMetaData().getLogSequenceNumber());
    }

    private static String readVersions(
            CosmosContainer items, CosmosChangeFeedRequestOptions options, List<ChangeFeedProcessorItem> changed) {
        String token = null;
        for (FeedResponse<ChangeFeedProcessorItem> page : items.queryChangeFeed(
                options.allVersionsAndDeletes(), ChangeFeedProcessorItem.class).iterableByPage()) {
            changed.addAll(page.getResults());
            token = page.getContinuationToken();
        }
        return token;
    }

    /** Two hosts share the ranges; when one stops, the other takes over where it was. */
    private static void process(CosmosDatabase database, boolean envelopes) throws Exception {
        database.createContainer("items", "/pk");
        database.createContainer("leases", "/id");
        CosmosContainer items = database.getContainer("items");
        Map<String, Set<String>> seen = new ConcurrentHashMap<>();
        try (CosmosAsyncClient client = new CosmosClientBuilder().endpoint(System.getenv("ORRERY_ENDPOINT"))
                .key(System.getenv("ORRERY_KEY")).gatewayMode().contentResponseOnWriteEnabled(true).buildAsyncClient()) {
            CosmosAsyncDatabase async = client.getDatabase(database.getId());
            ChangeFeedProcessor first = host("first", async, seen, envelopes);
            ChangeFeedProcessor second = host("second", async, seen, envelopes);
            first.start().block(PATIENCE);
            Set<String> expected = new TreeSet<>(fill(items, 0, 20));
            await("the first host", () -> expected.equals(together(seen)));
            second.start().block(PATIENCE);
            expected.addAll(fill(items, 20, 20));
            await("both hosts", () -> expected.equals(together(seen)));
            first.stop().block(PATIENCE);
            // Its last pages may still be on their way.
            expected.addAll(fill(items, 40, 20));
            await("the second host", () -> expected.equals(together(seen)));
            int before = of(seen, "first").size();
            expected.addAll(fill(items, 60, 20));
            await("the second host alone", () -> expected.equals(together(seen)));
            Suite.expect("the stopped host", of(seen, "first").size(), before);
            second.stop().block(PATIENCE);
        }
    }

    private static ChangeFeedProcessor host(
            String name, CosmosAsyncDatabase database, Map<String, Set<String>> seen, boolean envelopes) {
        ChangeFeedProcessorOptions options = new ChangeFeedProcessorOptions()
            .setLeaseAcquireInterval(Duration.ofSeconds(1)).setLeaseRenewInterval(Duration.ofSeconds(1))
            .setLeaseExpirationInterval(Duration.ofSeconds(4)).setFeedPollDelay(Duration.ofMillis(200))
            .setStartFromBeginning(true).setMaxItemCount(5);
        CosmosAsyncContainer items = database.getContainer("items");
        Consumer<JsonNode> keep = item -> of(seen, name).add(item.get("id").textValue());
        ChangeFeedProcessorBuilder builder = new ChangeFeedProcessorBuilder().hostName(name).feedContainer(items)
            .leaseContainer(database.getContainer("leases")).options(options);
        if (envelopes) {
            builder.handleLatestVersionChanges((List<ChangeFeedProcessorItem> changes) ->
                changes.forEach(change -> keep.accept(change.getCurrent())));
        } else {
            builder.handleChanges((List<JsonNode> changes) -> changes.forEach(keep));
        }
        return builder.buildChangeFeedProcessor();
    }

    private static Set<String> of(Map<String, Set<String>> seen, String host) {
        return seen.computeIfAbsent(host, any -> ConcurrentHashMap.newKeySet());
    }

    private static Set<String> together(Map<String, Set<String>> seen) {
        Set<String> out = new TreeSet<>();
        seen.values().forEach(out::addAll);
        return out;
    }

    private interface Condition { boolean holds(); }

    private static void await(String what, Condition condition) throws Exception {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.holds()) {
            if (System.nanoTime() > deadline) throw new AssertionError(what + ": changes are missing");
            Thread.sleep(50);
        }
    }

    private static ObjectNode item(int n) {
        return MAPPER.createObjectNode().put("id", Integer.toString(n)).put("pk", "key " + n % KEYS);
    }

    private static List<String> fill(CosmosContainer items, int from, int count) {
        List<String> ids = new ArrayList<>();
        for (int n = from; n < from + count; ++n) {
            items.createItem(item(n));
            ids.add(Integer.toString(n));
        }
        return ids;
    }

    private static void same(String what, List<String> got, List<String> wanted) {
        String[] left = got.toArray(new String[0]);
        String[] right = wanted.toArray(new String[0]);
        Arrays.sort(left);
        Arrays.sort(right);
        Suite.expect(what, Arrays.asList(left), Arrays.asList(right));
    }
}
