import com.azure.cosmos.CosmosContainer;
import com.azure.cosmos.CosmosDatabase;
import com.azure.cosmos.models.ChangeFeedPolicy;
import com.azure.cosmos.models.CosmosContainerProperties;
import com.azure.cosmos.models.CosmosItemRequestOptions;
import com.azure.cosmos.models.PartitionKey;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Change feed processors in two processes, one of which is killed: the other takes over its leases. */
final class HandOver {
    private static final int KEYS = 6;
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    private final CosmosDatabase database;
    private final String kind;
    private final Path log;
    private final Map<String, List<String>> expected = new TreeMap<>();  // key -> changes, in order
    private int nextId = 0;

    private HandOver(CosmosDatabase database, String kind, Path log) {
        this.database = database;
        this.kind = kind;
        this.log = log;
    }

    static void register() {
        Suite.scenarioInDatabase("changes.processor_killed", database -> run(database, "plain", false));
        Suite.scenarioInDatabase("changes.processor_killed_split", database -> run(database, "latest", true));
        Suite.scenarioInDatabase("changes.processor_killed_versions", database -> run(database, "versions", true));
    }

    private static void run(CosmosDatabase database, String kind, boolean split) throws Exception {
        Path log = Files.createTempFile(Path.of(System.getenv("ORRERY_SCRATCH")), "changes", ".log");
        new HandOver(database, kind, log).run(split);
    }

    private void run(boolean split) throws Exception {
        CosmosContainerProperties properties = new CosmosContainerProperties("items", "/pk");
        if (isVersions()) {
            properties.setChangeFeedPolicy(ChangeFeedPolicy.createAllVersionsAndDeletesPolicy(Duration.ofMinutes(5)));
        }
        database.createContainer(properties);
        database.createContainer("leases", "/id");
        CosmosContainer items = database.getContainer("items");
        Process first = start("first");
        Process second = null;
        try {
            waitUntilRunning(items);
            int ranges = items.getFeedRanges().size();
            change(items, 30);
            await("the first host");
            second = start("second");
            change(items, 30);
            await("both hosts");
            Thread.sleep(1000);  // both have checkpointed
            int settled = lines().size();
            if (split && !Suite.CHURN) splitFirstRange();
            change(items, 30);
            if (!Suite.CHURN) awaitFirst(settled);
            first.destroyForcibly().waitFor();
            change(items, 30);
            await("the host that is left");
            // A merged range begins again at the oldest position of its parts.
            if (Suite.CHURN) return;
            checkNotRepeated(settled);
            Suite.expect("ranges", items.getFeedRanges().size(), split ? ranges + 1 : ranges);
        } finally {
            first.destroyForcibly();
            if (second != null) second.destroyForcibly();
        }
    }

    /** This server's own request, which the SDK cannot send. */
    private void splitFirstRange() throws Exception {
        String range = "dbs/" + database.getId() + "/colls/items/pkranges/0";
        String date = DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ENGLISH)
            .format(ZonedDateTime.now(ZoneOffset.UTC));
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(Base64.getDecoder().decode(System.getenv("ORRERY_KEY")), "HmacSHA256"));
        String text = "post\nsplit\n" + range + "\n" + date.toLowerCase() + "\n\n";
        String signature = Base64.getEncoder().encodeToString(mac.doFinal(text.getBytes(StandardCharsets.UTF_8)));
        HttpRequest request = HttpRequest.newBuilder(URI.create(System.getenv("ORRERY_ENDPOINT") + range + "/split"))
            .header("x-ms-date", date).header("x-ms-version", "2020-07-15")
            .header("authorization", URLEncoder.encode("type=master&ver=1.0&sig=" + signature, StandardCharsets.UTF_8))
            .POST(HttpRequest.BodyPublishers.noBody()).build();
        HttpResponse<String> answer = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() >= 300) throw new AssertionError("split: " + answer.statusCode() + answer.body());
    }

    private boolean isVersions() {
        return kind.equals("versions");
    }

    /** The same Java, classes and trusted certificates as this process. */
    private Process start(String name) throws IOException {
        List<String> command = new ArrayList<>(List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp", System.getProperty("java.class.path")));
        for (String property : List.of("javax.net.ssl.trustStore", "javax.net.ssl.trustStorePassword")) {
            command.add("-D" + property + "=" + System.getProperty(property));
        }
        command.addAll(List.of("ProcessorHost", name, database.getId(), kind, log.toString()));
        return new ProcessBuilder(command).redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD).start();
    }

    /** All versions and deletes are read from the time of the first poll, so write until every key is seen. */
    private void waitUntilRunning(CosmosContainer items) throws Exception {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        for (int n = 0; seen().size() < KEYS; ++n) {
            if (System.nanoTime() > deadline) throw new AssertionError("the first host does not start");
            items.createItem(Map.of("id", "warm-up " + n, "pk", "key " + n % KEYS));
            Thread.sleep(50);
        }
    }

    private void change(CosmosContainer items, int count) {
        for (int n = 0; n < count; ++n) {
            String id = Integer.toString(nextId++);
            String key = "key " + n % KEYS;
            List<String> changes = expected.computeIfAbsent(key, any -> new ArrayList<>());
            items.createItem(Map.of("id", id, "pk", key));
            changes.add("create " + id);
            if (!isVersions()) continue;
            PartitionKey partitionKey = new PartitionKey(key);
            items.replaceItem(Map.of("id", id, "pk", key, "again", true), id, partitionKey,
                new CosmosItemRequestOptions());
            changes.add("replace " + id);
            if (n % 2 == 0) continue;
            items.deleteItem(id, partitionKey, new CosmosItemRequestOptions());
            changes.add("delete " + id);
        }
    }

    private List<String[]> lines() throws IOException {
        return Files.readAllLines(log).stream().map(line -> line.split("\t"))
            .filter(line -> line.length == 3).collect(Collectors.toList());
    }

    /** The changes of each key in the order in which either host saw them first. */
    private Map<String, Set<String>> seen() throws IOException {
        Map<String, Set<String>> out = new TreeMap<>();
        for (String[] line : lines()) out.computeIfAbsent(line[1], any -> new LinkedHashSet<>()).add(line[2]);
        return out;
    }

    private void await(String what) throws Exception {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            Map<String, Set<String>> seen = seen();
            boolean complete = true;
            for (Map.Entry<String, List<String>> of : expected.entrySet()) {
                List<String> got = withoutWarmUp(seen.getOrDefault(of.getKey(), Set.of()));
                // At no time is a change missing before one that was seen.
                Suite.expect(what + ", " + of.getKey(), got, of.getValue().subList(0, Math.min(got.size(),
                    of.getValue().size())));
                complete = complete && got.size() == of.getValue().size();
            }
            if (complete) return;
            if (System.nanoTime() > deadline) throw new AssertionError(what + ": changes are missing");
            Thread.sleep(100);
        }
    }

    /** The host to be killed has a lease: it goes on reading. */
    private void awaitFirst(int settled) throws Exception {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (lines().stream().skip(settled).noneMatch(line -> line[0].equals("first"))) {
            if (System.nanoTime() > deadline) throw new AssertionError("the first host has no lease");
            Thread.sleep(20);
        }
    }

    private static List<String> withoutWarmUp(Collection<String> changes) {
        return changes.stream().filter(change -> !change.contains("warm-up")).collect(Collectors.toList());
    }

    /** The host that is left goes on at the checkpoint, not at the beginning. */
    private void checkNotRepeated(int settled) throws IOException {
        List<String[]> lines = lines();
        Set<String> before = new LinkedHashSet<>();
        lines.subList(0, settled).forEach(line -> before.add(line[1] + " " + line[2]));
        for (String[] line : lines.subList(settled, lines.size())) {
            if (before.contains(line[1] + " " + line[2])) {
                throw new AssertionError("again after the checkpoint: " + String.join(" ", line));
            }
        }
    }
}
