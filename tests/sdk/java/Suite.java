import com.azure.cosmos.CosmosClient;
import com.azure.cosmos.CosmosClientBuilder;
import com.azure.cosmos.CosmosContainer;
import com.azure.cosmos.CosmosDatabase;
import com.azure.cosmos.CosmosException;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.regex.Pattern;

/** Registers and runs scenarios, each in its own database, in Gateway mode. */
final class Suite {
    interface Body { void run() throws Exception; }

    interface InDatabase { void run(CosmosDatabase database) throws Exception; }

    interface InContainer { void run(CosmosContainer container) throws Exception; }

    /** Partitions are split and merged all the time. */
    static final boolean CHURN = "1".equals(System.getenv("ORRERY_CHURN"));
    private static final Map<String, Body> SCENARIOS = new LinkedHashMap<>();
    static CosmosClient client;

    private Suite() {}

    /** Runs the registered scenarios that were asked for; returns the exit code. */
    static int run() {
        Pattern only = Pattern.compile(Objects.toString(System.getenv("ORRERY_SCENARIO"), ""));
        int failed = 0;
        for (Map.Entry<String, Body> each : SCENARIOS.entrySet()) {
            if (!only.matcher(each.getKey()).find()) continue;
            try {
                if (client == null) client = newClient(System.getenv("ORRERY_KEY"));
                each.getValue().run();
                System.out.println("pass " + each.getKey());
            } catch (Throwable problem) {
                failed = 1;
                System.out.println("fail " + each.getKey() + ": " + describe(problem));
            }
        }
        return failed;
    }

    static void scenario(String name, Body body) {
        SCENARIOS.put(name, body);
    }

    static void scenarioInDatabase(String name, InDatabase body) {
        scenario(name, () -> {
            String id = randomId("java");
            client.createDatabase(id);
            CosmosDatabase database = client.getDatabase(id);
            try {
                body.run(database);
            } finally {
                database.delete();
            }
        });
    }

    static void scenarioInContainer(String name, String path, InContainer body) {
        scenarioInDatabase(name, database -> {
            database.createContainer("items", path);
            body.run(database.getContainer("items"));
        });
    }

    static CosmosClient newClient(String key) {
        return new CosmosClientBuilder().endpoint(System.getenv("ORRERY_ENDPOINT")).key(key).gatewayMode()
            .contentResponseOnWriteEnabled(true).buildClient();
    }

    static String otherKey() {
        byte[] bytes = new byte[64];
        java.util.Arrays.fill(bytes, (byte) 7);
        return Base64.getEncoder().encodeToString(bytes);
    }

    static String randomId(String prefix) {
        return prefix + "-" + UUID.randomUUID().toString().substring(24);
    }

    static void refused(int status, Body body) throws Exception {
        try {
            body.run();
        } catch (CosmosException answer) {
            expect("status", answer.getStatusCode(), status);
            return;
        }
        throw new AssertionError("wanted " + status + ", got success");
    }

    static void expect(String what, Object got, Object wanted) {
        if (!Objects.equals(got, wanted)) throw new AssertionError(what + ": wanted " + wanted + ", got " + got);
    }

    private static String describe(Throwable problem) {
        String text = problem instanceof CosmosException
            ? ((CosmosException) problem).getStatusCode() + " " + ((CosmosException) problem).getShortMessage()
            : problem.toString();
        String line = text.replaceAll("\\s+", " ");
        return line.substring(0, Math.min(400, line.length()));
    }
}
