import com.azure.cosmos.CosmosClient;
import com.azure.cosmos.CosmosClientBuilder;
import com.azure.cosmos.CosmosContainer;
import com.azure.cosmos.CosmosException;
import com.azure.cosmos.ThrottlingRetryOptions;
import com.azure.cosmos.models.PartitionKey;
import com.azure.cosmos.models.ThroughputProperties;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Against a server that refuses what is beyond the throughput of a container. */
final class Throttling {
    private static final int ITEMS = 16;

    interface InContainer { void run(CosmosContainer patient, CosmosContainer impatient) throws Exception; }

    private Throttling() {}

    static void register() {
        if (endpoint() == null || endpoint().isEmpty()) return;
        Suite.scenario("throttling.retried", () -> inContainer(Throttling::retried));
        Suite.scenario("throttling.surfaced", () -> inContainer(Throttling::surfaced));
    }

    private static String endpoint() {
        return System.getenv("ORRERY_THROTTLED_ENDPOINT");
    }

    private static CosmosClientBuilder builder() {
        return new CosmosClientBuilder().endpoint(endpoint()).key(System.getenv("ORRERY_KEY")).gatewayMode();
    }

    /** The same container through a client with the default retries and one without retries. */
    private static void inContainer(InContainer body) throws Exception {
        String id = Suite.randomId("java");
        ThrottlingRetryOptions none = new ThrottlingRetryOptions().setMaxRetryAttemptsOnThrottledRequests(0);
        try (CosmosClient client = builder().buildClient();
             CosmosClient impatient = builder().throttlingRetryOptions(none).buildClient()) {
            client.createDatabase(id);
            try {
                client.getDatabase(id).createContainer("items", "/pk", ThroughputProperties.createManualThroughput(400));
                body.run(client.getDatabase(id).getContainer("items"), impatient.getDatabase(id).getContainer("items"));
            } finally {
                client.getDatabase(id).delete();
            }
        }
    }

    /** Costs what is earned in about three seconds. */
    private static Map<String, Object> large() {
        return Map.of("id", "large", "pk", "a", "text", "x".repeat(1_950_000));
    }

    /** About 100 request units. */
    private static Map<String, Object> item(int number) {
        Map<String, Object> item = new LinkedHashMap<>(Map.of("id", "item" + number, "pk", "a"));
        for (int i = 0; i < 500; i++) item.put("p" + i, i);
        return item;
    }

    private static void retried(CosmosContainer patient, CosmosContainer impatient) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(ITEMS);
        long started = System.nanoTime();
        double charge = patient.createItem(large()).getRequestCharge();
        try {
            List<Future<Integer>> begun = new ArrayList<>();
            for (int i = 0; i < ITEMS; i++) {
                Map<String, Object> item = item(i);
                begun.add(pool.submit(() -> patient.createItem(item).getStatusCode()));
            }
            for (Future<Integer> one : begun) Suite.expect("status", one.get(), 201);
        } finally {
            pool.shutdownNow();
        }
        double seconds = (System.nanoTime() - started) / 1e9;
        Suite.expect("dear", charge > 1000, true);
        // 400 request units are there at once; before the rest is earned, nothing else is admitted.
        Suite.expect(charge + " RU in " + seconds + " s are slow", seconds > (charge - 400) / 400, true);
        for (int i = 0; i < ITEMS; i++) {
            Suite.expect("read", patient.readItem("item" + i, new PartitionKey("a"), Map.class).getStatusCode(), 200);
        }
    }

    private static void surfaced(CosmosContainer patient, CosmosContainer impatient) throws Exception {
        impatient.createItem(large());
        try {
            impatient.createItem(Map.of("id", "refused", "pk", "a"));
        } catch (CosmosException answer) {
            Suite.expect("status", answer.getStatusCode(), 429);
            Suite.expect("sub-status", answer.getSubStatusCode(), 3200);
            Suite.expect("charge", answer.getRequestCharge(), 0.38);
            long wait = answer.getRetryAfterDuration().toMillis();
            Suite.expect("retry after " + wait, wait > 0 && wait <= 5000, true);
            Suite.refused(404, () -> patient.readItem("refused", new PartitionKey("a"), Map.class)); // waits
            return;
        }
        throw new AssertionError("wanted 429, got success");
    }
}
