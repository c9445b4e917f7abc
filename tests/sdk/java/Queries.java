import com.azure.cosmos.CosmosContainer;
import com.azure.cosmos.CosmosException;
import com.azure.cosmos.models.CosmosItemIdentity;
import com.azure.cosmos.models.CosmosQueryRequestOptions;
import com.azure.cosmos.models.FeedResponse;
import com.azure.cosmos.models.PartitionKey;
import com.azure.cosmos.models.SqlParameter;
import com.azure.cosmos.models.SqlQuerySpec;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Queries over 60 items under 12 keys. */
final class Queries {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final List<ObjectNode> ITEMS =
        IntStream.range(0, 60).mapToObj(Queries::item).collect(Collectors.toList());
    private static final List<String> IDS_BY_N = ITEMS.stream()
        .sorted(Comparator.comparingInt(item -> item.get("n").intValue())).map(Queries::id).collect(Collectors.toList());
    private static final int SUM = ITEMS.stream().mapToInt(item -> item.get("n").intValue()).sum();

    private Queries() {}

    static void register() {
        inQueried("query.filter", Queries::filter);
        inQueried("query.paging", Queries::paging);
        inQueried("query.one_key", Queries::oneKey);
        inQueried("query.order_by", Queries::orderBy);
        inQueried("query.order_by_mixed", Queries::mixed);
        inQueried("query.parallel", Queries::parallel);
        inQueried("query.top", items -> {
            same(items, "SELECT TOP 5 VALUE c.id FROM c ORDER BY c.n", IDS_BY_N.subList(0, 5));
            Suite.expect("rows", rows(items, "SELECT TOP 13 VALUE c.id FROM c").size(), 13);
            SqlQuerySpec query = new SqlQuerySpec("SELECT TOP @n VALUE c.n FROM c ORDER BY c.n DESC",
                new SqlParameter("@n", 2));
            Suite.expect("with a parameter", texts(rows(items, query, options())), List.of("59", "58"));
        });
        inQueried("query.offset_limit", items -> {
            same(items, "SELECT VALUE c.id FROM c ORDER BY c.n OFFSET 10 LIMIT 20", IDS_BY_N.subList(10, 30));
            Suite.expect("rows", rows(items, "SELECT VALUE c.id FROM c OFFSET 50 LIMIT 100").size(), 10);
        });
        inQueried("query.distinct", items -> {
            Suite.expect("values", sorted(texts(rows(items, "SELECT DISTINCT VALUE c.mod FROM c"))),
                List.of("1", "2", "3", "4", "5"));
            same(items, "SELECT DISTINCT VALUE c.mod FROM c ORDER BY c.mod DESC", List.of("5", "4", "3", "2", "1"));
            Suite.expect("rows", rows(items, "SELECT DISTINCT c.mod, c.pk FROM c").size(), 60);
        });
        inQueried("query.aggregates", Queries::aggregates);
        inQueried("query.group_by", Queries::groupBy);
        inQueried("query.resume", Queries::resume);
        inQueried("query.metrics", Queries::metrics);
        inQueried("query.read_many", items -> {
            List<CosmosItemIdentity> wanted = new ArrayList<>();
            for (int n = 0; n < 60; n += 2) wanted.add(identity(ITEMS.get(n)));
            wanted.add(new CosmosItemIdentity(new PartitionKey("key-0"), "none"));
            List<String> found = items.readMany(wanted, ObjectNode.class).getResults().stream().map(Queries::id)
                .collect(Collectors.toList());
            List<String> there = IntStream.range(0, 30).mapToObj(n -> id(ITEMS.get(2 * n))).collect(Collectors.toList());
            Suite.expect("items", sorted(found), there);
        });
        inQueried("query.refused", Queries::refusals);
    }

    private static void filter(CosmosContainer items) {
        SqlQuerySpec query = new SqlQuerySpec("SELECT VALUE c.id FROM c WHERE c.n >= @low AND c.n < @high",
            new SqlParameter("@low", 10), new SqlParameter("@high", 25));
        Suite.expect("filtered", sorted(texts(rows(items, query, options()))), sorted(IDS_BY_N.subList(10, 25)));
        List<String> joined = rows(items, "SELECT c.id, t FROM c JOIN t IN c.tags WHERE t = \"tag-3\"").stream()
            .map(Queries::id).collect(Collectors.toList());
        List<String> tagged = ITEMS.stream().filter(item -> item.get("tags").get(1).asText().equals("tag-3"))
            .map(Queries::id).collect(Collectors.toList());
        Suite.expect("joined", sorted(joined), tagged);
    }

    private static void paging(CosmosContainer items) {
        for (int size : new int[] {1, 7, 1000}) {
            List<String> seen = new ArrayList<>();
            for (FeedResponse<ObjectNode> page : items.queryItems("SELECT * FROM c", options(), ObjectNode.class)
                    .iterableByPage(size)) {
                Suite.expect("page of " + size, page.getResults().size() <= size, true);
                page.getResults().forEach(item -> seen.add(id(item)));
            }
            Suite.expect("all, page size " + size, sorted(seen),
                ITEMS.stream().map(Queries::id).collect(Collectors.toList()));
        }
    }

    private static void oneKey(CosmosContainer items) {
        List<String> wanted = ITEMS.stream().filter(item -> item.get("pk").asText().equals("key-3")).map(Queries::id)
            .collect(Collectors.toList());
        CosmosQueryRequestOptions keyed = options().setPartitionKey(new PartitionKey("key-3"));
        Suite.expect("by option", sorted(texts(rows(items, new SqlQuerySpec("SELECT VALUE c.id FROM c"), keyed))), wanted);
        String filter = "SELECT VALUE c.id FROM c WHERE c.pk = \"key-3\" ORDER BY c.id";
        Set<String> one = rangesOf(items, filter, wanted);
        if (!Suite.CHURN) Suite.expect("ranges asked with the key " + one, one.size(), 1);
        String partitions = System.getenv("ORRERY_PARTITIONS");
        if (partitions == null || partitions.isEmpty()) return;
        Set<String> all = rangesOf(items, "SELECT VALUE c.id FROM c ORDER BY c.n", IDS_BY_N);
        Suite.expect("ranges asked without it " + all, all.size(), Integer.parseInt(partitions));
    }

    /** Runs the query and returns the ranges that the diagnostics name. */
    private static Set<String> rangesOf(CosmosContainer items, String query, List<String> wanted) {
        Set<String> ranges = new HashSet<>();
        List<String> found = new ArrayList<>();
        for (FeedResponse<JsonNode> page : items.queryItems(query, options(), JsonNode.class).iterableByPage()) {
            found.addAll(texts(page.getResults()));
            Matcher range = Pattern.compile("\"partitionKeyRangeId\":\"([^\"]+)\"")
                .matcher(page.getCosmosDiagnostics().toString());
            while (range.find()) ranges.add(range.group(1));
        }
        Suite.expect(query, found, wanted);
        return ranges;
    }

    private static void orderBy(CosmosContainer items) {
        List<String> down = new ArrayList<>(IDS_BY_N);
        Collections.reverse(down);
        same(items, "SELECT VALUE c.id FROM c ORDER BY c.n", IDS_BY_N);
        same(items, "SELECT VALUE c.id FROM c ORDER BY c.n DESC", down);
        List<String> names = ITEMS.stream().map(item -> item.get("name").asText()).sorted().collect(Collectors.toList());
        same(items, "SELECT VALUE c.name FROM c ORDER BY c.name", names);
        List<String> mods = ITEMS.stream().map(item -> item.get("mod").asText()).sorted().collect(Collectors.toList());
        same(items, "SELECT VALUE c.mod FROM c ORDER BY c.mod", mods);
        List<String> whole = rows(items, "SELECT * FROM c WHERE c.n < 3 ORDER BY c.n").stream().map(Queries::id)
            .collect(Collectors.toList());
        Suite.expect("whole items", whole, IDS_BY_N.subList(0, 3));
    }

    private static void mixed(CosmosContainer items) {
        List<String> kinds = List.of("undefined", "null", "false", "true", "number", "string");
        for (boolean up : new boolean[] {true, false}) {
            List<String> found = rows(items, "SELECT c.v, c.kind FROM c ORDER BY c.v" + (up ? "" : " DESC")).stream()
                .map(row -> row.get("kind").asText()).collect(Collectors.toList());
            List<String> wanted = new ArrayList<>();
            for (String kind : kinds) wanted.addAll(Collections.nCopies(10, kind));
            if (!up) Collections.reverse(wanted);
            Suite.expect("kinds", found, wanted);
        }
    }

    private static void parallel(CosmosContainer items) {
        for (String query : List.of("SELECT VALUE c.id FROM c ORDER BY c.n", "SELECT VALUE c.id FROM c ORDER BY c.mod DESC",
                "SELECT VALUE c.id FROM c WHERE c.n > 20", "SELECT DISTINCT VALUE c.mod FROM c")) {
            SqlQuerySpec text = new SqlQuerySpec(query);
            // Without ORDER BY the SDK returns pages as they arrive.
            boolean ordered = query.contains("ORDER BY");
            List<String> serial = texts(rows(items, text,
                options().setMaxDegreeOfParallelism(0).setMaxBufferedItemCount(0)));
            for (int[] each : new int[][] {{1, 1}, {10, 100}, {-1, -1}, {-1, 3}}) {
                List<String> found = texts(rows(items, text,
                    options().setMaxDegreeOfParallelism(each[0]).setMaxBufferedItemCount(each[1])));
                Suite.expect(query + " " + Arrays.toString(each), ordered ? found : sorted(found),
                    ordered ? serial : sorted(serial));
            }
        }
    }

    private static void aggregates(CosmosContainer items) {
        same(items, "SELECT VALUE COUNT(1) FROM c", List.of("60"));
        same(items, "SELECT VALUE COUNT(c.grade) FROM c", List.of("40"));
        Suite.expect("SUM", rows(items, "SELECT VALUE SUM(c.n) FROM c").get(0).asInt(), SUM);
        same(items, "SELECT VALUE AVG(c.n) FROM c", List.of("29.5"));
        same(items, "SELECT VALUE MIN(c.n) FROM c", List.of("0"));
        same(items, "SELECT VALUE MAX(c.name) FROM c", List.of("name-59"));
        same(items, "SELECT VALUE COUNT(1) FROM c WHERE c.n > 1000", List.of("0"));
        JsonNode row = rows(items, "SELECT COUNT(1) AS n, SUM(c.n) AS s, MAX(c.n) AS m FROM c").get(0);
        Suite.expect("several", List.of(row.get("n").asInt(), row.get("s").asInt(), row.get("m").asInt()),
            List.of(60, SUM, 59));
    }

    private static void groupBy(CosmosContainer items) {
        List<JsonNode> groups = rows(items, "SELECT c.mod, COUNT(1) AS n, SUM(c.n) AS s FROM c GROUP BY c.mod");
        Suite.expect("groups", groups.size(), 5);
        for (JsonNode group : groups) {
            int mod = group.get("mod").asInt();
            int sum = ITEMS.stream().filter(item -> item.get("mod").asInt() == mod)
                .mapToInt(item -> item.get("n").asInt()).sum();
            Suite.expect("group " + mod, List.of(group.get("n").asInt(), group.get("s").asInt()), List.of(12, sum));
        }
        Suite.expect("with undefined", rows(items, "SELECT c.grade, COUNT(1) AS n FROM c GROUP BY c.grade").size(), 41);
    }

    private static void resume(CosmosContainer items) {
        for (String query : List.of("SELECT VALUE c.id FROM c", "SELECT VALUE c.id FROM c ORDER BY c.n",
                "SELECT VALUE c.id FROM c ORDER BY c.n OFFSET 5 LIMIT 50")) {
            List<String> seen = new ArrayList<>();
            String token = null;
            do {
                FeedResponse<JsonNode> page = items.queryItems(query, options(), JsonNode.class)
                    .iterableByPage(token, 4).iterator().next();
                seen.addAll(texts(page.getResults()));
                token = page.getContinuationToken();
                if (seen.size() > 60) throw new AssertionError("endless: " + query);
            } while (token != null);
            List<String> wanted = query.contains("OFFSET") ? IDS_BY_N.subList(5, 55) : IDS_BY_N;
            boolean ordered = query.contains("ORDER BY");
            Suite.expect(query, ordered ? seen : sorted(seen), ordered ? wanted : sorted(wanted));
        }
    }

    private static void metrics(CosmosContainer items) {
        CosmosQueryRequestOptions options = options().setQueryMetricsEnabled(true);
        StringBuilder text = new StringBuilder();
        double charge = 0;
        for (FeedResponse<JsonNode> page : items.queryItems("SELECT * FROM c WHERE c.mod = 1 ORDER BY c.n", options,
                JsonNode.class).iterableByPage()) {
            text.append(page.getCosmosDiagnostics());
            charge += page.getRequestCharge();
        }
        // The SDK drops those of a query that began again in other ranges.
        boolean found = text.indexOf("outputDocumentCount") >= 0 || text.indexOf("Output Document Count") >= 0;
        Suite.expect("metrics in " + text, found || Suite.CHURN, true);
        Suite.expect("charge", charge > 0, true);
    }

    private static void refusals(CosmosContainer items) {
        String[][] cases = {{"SELECT * FROM c WHERE", "SC1002"}, {"SELEC * FROM c", "SC1001"},
            {"SELECT VALUE x FROM c", "SC2001"}, {"SELECT VALUE NOPE(c.n) FROM c", "SC2005"},
            {"SELECT * FROM c ORDER BY LOWER(c.name)", "2206"}, {"SELECT * FROM c GROUP BY c.mod", "SC2041"}};
        for (String[] each : cases) {
            try {
                rows(items, each[0]);
            } catch (CosmosException answer) {
                Suite.expect(each[0], answer.getStatusCode(), 400);
                Suite.expect(each[1] + " in " + answer.getMessage(), answer.getMessage().contains(each[1]), true);
                continue;
            }
            throw new AssertionError("not refused: " + each[0]);
        }
    }

    // 60 items; `n` is unique, `mod` has ties, every third item lacks `grade`, `v` has every type.
    private static ObjectNode item(int n) {
        ObjectNode item = MAPPER.createObjectNode().put("id", String.format("q-%02d", n)).put("pk", "key-" + n % 12)
            .put("n", n * 37 % 60).put("mod", n % 5 + 1).put("name", String.format("name-%02d", n * 7 % 60));
        if (n % 3 != 0) item.put("grade", n);
        item.putArray("tags").add("all").add("tag-" + n % 4);
        String kind = List.of("undefined", "null", "false", "true", "number", "string").get(n / 10);
        item.put("kind", kind);
        switch (kind) {
            case "null": return item.putNull("v");
            case "false": return item.put("v", false);
            case "true": return item.put("v", true);
            case "number": return item.put("v", n / 4.0);
            case "string": return item.put("v", "s" + n);
            default: return item;
        }
    }

    private static CosmosItemIdentity identity(ObjectNode item) {
        return new CosmosItemIdentity(new PartitionKey(item.get("pk").asText()), id(item));
    }

    private static String id(JsonNode item) {
        return item.get("id").asText();
    }

    private static CosmosQueryRequestOptions options() {
        return new CosmosQueryRequestOptions();
    }

    private static List<JsonNode> rows(CosmosContainer items, String query) {
        return rows(items, new SqlQuerySpec(query), options());
    }

    private static List<JsonNode> rows(CosmosContainer items, SqlQuerySpec query, CosmosQueryRequestOptions options) {
        return items.queryItems(query, options, JsonNode.class).stream().collect(Collectors.toList());
    }

    private static void same(CosmosContainer items, String query, List<String> wanted) {
        Suite.expect(query, texts(rows(items, query)), wanted);
    }

    private static List<String> texts(List<JsonNode> rows) {
        return rows.stream().map(JsonNode::asText).collect(Collectors.toList());
    }

    private static List<String> sorted(List<String> values) {
        List<String> copy = new ArrayList<>(values);
        Collections.sort(copy);
        return copy;
    }

    private static void inQueried(String name, Suite.InContainer body) {
        Suite.scenarioInContainer(name, "/pk", items -> {
            for (ObjectNode item : ITEMS) items.createItem(item);
            body.run(items);
        });
    }
}
