import com.azure.cosmos.ConsistencyLevel;
import com.azure.cosmos.CosmosClient;
import com.azure.cosmos.CosmosClientBuilder;
import com.azure.cosmos.CosmosContainer;
import com.azure.cosmos.CosmosDatabase;
import com.azure.cosmos.models.CosmosItemRequestOptions;
import com.azure.cosmos.models.PartitionKey;
import java.util.HashMap;
import java.util.Map;

/** Session tokens and consistency. */
final class Sessions {
    private static final PartitionKey P = new PartitionKey("p");

    private Sessions() {}

    static void register() {
        Suite.scenarioInContainer("session.token", "/pk", Sessions::token);
        Suite.scenarioInDatabase("session.read_own_write", Sessions::readOwnWrite);
        Suite.scenarioInDatabase("session.recreated", Sessions::recreated);
    }

    private static Map<String, Object> item(String id, String key, int n) {
        return Map.of("id", id, "pk", key, "n", n);
    }

    /** "0:-1#12" -> the LSN 12 of the range 0, which must be above the last one. */
    private static void mustGrow(Map<String, Long> last, String token, boolean write) {
        String range = token.substring(0, token.indexOf(':'));
        long lsn = Long.parseLong(token.substring(token.indexOf('#') + 1).split("#")[0]);
        long before = last.getOrDefault(range, -1L);
        if (write ? lsn <= before : lsn < before) throw new AssertionError(token + " after " + before);
        last.put(range, lsn);
    }

    private static void token(CosmosContainer items) {
        Map<String, Long> last = new HashMap<>();
        for (int n = 0; n < 30; ++n) {
            mustGrow(last, items.createItem(item(Integer.toString(n), "key " + n % 10, n)).getSessionToken(), true);
        }
        mustGrow(last, items.readItem("0", new PartitionKey("key 0"), Map.class).getSessionToken(), false);
    }

    private static CosmosClient sessionClient() {
        return new CosmosClientBuilder().endpoint(System.getenv("ORRERY_ENDPOINT")).key(System.getenv("ORRERY_KEY"))
            .gatewayMode().contentResponseOnWriteEnabled(true).consistencyLevel(ConsistencyLevel.SESSION).buildClient();
    }

    private static void readOwnWrite(CosmosDatabase database) {
        database.createContainer("items", "/pk");
        try (CosmosClient client = sessionClient()) {
            CosmosContainer own = client.getDatabase(database.getId()).getContainer("items");
            own.createItem(item("one", "p", 0));
            for (int n = 1; n <= 20; ++n) {
                own.replaceItem(item("one", "p", n), "one", P, new CosmosItemRequestOptions());
                Suite.expect("n", own.readItem("one", P, Map.class).getItem().get("n"), n);
            }
        }
    }

    /** The client does not know that it is another container; its old token must not matter. */
    private static void recreated(CosmosDatabase database) {
        database.createContainer("items", "/pk");
        try (CosmosClient client = sessionClient()) {
            CosmosContainer own = client.getDatabase(database.getId()).getContainer("items");
            for (int n = 0; n < 20; ++n) own.upsertItem(item("one", "p", n));
            database.getContainer("items").delete();
            database.createContainer("items", "/pk");
            database.getContainer("items").createItem(item("one", "p", 100));
            Suite.expect("n", own.readItem("one", P, Map.class).getItem().get("n"), 100);
        }
    }
}
