import com.azure.cosmos.CosmosContainer;
import com.azure.cosmos.CosmosDatabase;
import com.azure.cosmos.CosmosException;
import com.azure.cosmos.CosmosScripts;
import com.azure.cosmos.models.CosmosItemRequestOptions;
import com.azure.cosmos.models.CosmosQueryRequestOptions;
import com.azure.cosmos.models.CosmosStoredProcedureProperties;
import com.azure.cosmos.models.CosmosStoredProcedureRequestOptions;
import com.azure.cosmos.models.CosmosStoredProcedureResponse;
import com.azure.cosmos.models.CosmosTriggerProperties;
import com.azure.cosmos.models.CosmosUserDefinedFunctionProperties;
import com.azure.cosmos.models.PartitionKey;
import com.azure.cosmos.models.TriggerOperation;
import com.azure.cosmos.models.TriggerType;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Runs the cases of tests/scripts/cases (format: README.md there), one scenario per file. */
final class ScriptCases {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private final JsonNode definition;
    private final String keyName;
    private final CosmosContainer container;

    private ScriptCases(JsonNode definition, CosmosDatabase database, String id) {
        this.definition = definition;
        String path = definition.path("key").asText("/pk");
        keyName = path.substring(1);
        database.createContainer(id, path);
        container = database.getContainer(id);
    }

    static void register() {
        try (Stream<Path> files = Files.list(folder().resolve("cases"))) {
            for (Path file : files.sorted().collect(Collectors.toList())) {
                String name = file.getFileName().toString().replace(".json", "");
                JsonNode cases = MAPPER.readTree(file.toFile());
                Suite.scenarioInDatabase("script." + name, database -> {
                    for (int n = 0; n < cases.size(); n++) new ScriptCases(cases.get(n), database, "case-" + n).run();
                });
            }
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        }
    }

    private static Path folder() {
        return Path.of(System.getenv("ORRERY_SCRIPTS"));
    }

    private void run() throws Exception {
        storeScripts();
        JsonNode stored = itemsBefore();
        for (JsonNode item : stored) container.createItem(item);
        int number = 0;
        for (JsonNode step : definition.get("steps")) {
            number++;
            try {
                checkStep(step);
                // A step without `stored` must leave the items unchanged, especially if it fails.
                stored = step.has("stored") ? step.get("stored") : stored;
                ScriptJson.expectAlike("stored", ordered(allItems()), ordered(stored));
            } catch (AssertionError | CosmosException problem) {
                throw new AssertionError(definition.get("name").asText() + ", step " + number + ": " + problem.getMessage());
            }
        }
    }

    private void storeScripts() throws IOException {
        CosmosScripts scripts = container.getScripts();
        for (JsonNode id : definition.path("procedures")) {
            scripts.createStoredProcedure(new CosmosStoredProcedureProperties(id.asText(), text(id.asText())));
        }
        for (JsonNode id : definition.path("udfs")) {
            scripts.createUserDefinedFunction(new CosmosUserDefinedFunctionProperties(id.asText(), text(id.asText())));
        }
        storeTriggers("pre_triggers", TriggerType.PRE);
        storeTriggers("post_triggers", TriggerType.POST);
    }

    private void storeTriggers(String member, TriggerType type) throws IOException {
        for (Map.Entry<String, JsonNode> each : definition.path(member).properties()) {
            TriggerOperation operation = TriggerOperation.valueOf(each.getValue().asText().toUpperCase(Locale.ROOT));
            container.getScripts().createTrigger(new CosmosTriggerProperties(each.getKey(), text(each.getKey()))
                .setTriggerType(type).setTriggerOperation(operation));
        }
    }

    private String text(String id) throws IOException {
        JsonNode body = definition.path("bodies").path(id);
        return body.isTextual() ? body.asText() : Files.readString(folder().resolve(id + ".js"));
    }

    private JsonNode itemsBefore() {
        ArrayNode items = JSON.arrayNode();
        for (int n = 1; n <= definition.path("numbered").asInt(0); n++) {
            items.add(JSON.objectNode().put("id", "n" + n).put("pk", "a").put("n", n));
        }
        definition.path("items").forEach(items::add);
        return items;
    }

    private void checkStep(JsonNode step) throws Exception {
        JsonNode answer;
        try {
            answer = answerTo(step);
        } catch (CosmosException problem) {
            if (!step.has("error")) throw problem;
            checkError(problem, step.get("error"));
            return;
        }
        if (step.has("error")) throw new AssertionError("wanted " + step.get("error") + ", got " + answer);
        if (step.get("do").asText().equals("query")) {
            ScriptJson.expectAlike("rows", ScriptJson.sortedByText(answer), ScriptJson.sortedByText(step.get("answer")));
        } else if (step.has("answer")) {
            ScriptJson.expectAlike("answer", answer, step.get("answer"));
        }
    }

    private static void checkError(CosmosException problem, JsonNode wanted) {
        Suite.expect("status", problem.getStatusCode(), wanted.get("status").intValue());
        if (wanted.has("sub_status")) {
            Suite.expect("sub-status", problem.getSubStatusCode(), wanted.get("sub_status").intValue());
        }
        String text = wanted.path("text").asText("");
        if (!problem.getMessage().contains(text)) {
            throw new AssertionError("\"" + text + "\" is not in: " + problem.getMessage());
        }
    }

    private JsonNode answerTo(JsonNode step) throws Exception {
        switch (step.get("do").asText()) {
            case "execute": return execute(step);
            case "query": return query(step);
            default: return write(step);
        }
    }

    private JsonNode execute(JsonNode step) throws Exception {
        CosmosStoredProcedureRequestOptions options = new CosmosStoredProcedureRequestOptions()
            .setPartitionKey(partitionKey(step.get("key"))).setScriptLoggingEnabled(step.path("log").isTextual());
        List<Object> parameters = new ArrayList<>();
        for (JsonNode each : step.get("arguments")) parameters.add(withStored(each));
        CosmosStoredProcedureResponse answer =
            container.getScripts().getStoredProcedure(step.get("script").asText()).execute(parameters, options);
        if (step.has("log")) Suite.expect("log", answer.getScriptLog(), step.get("log").textValue());
        return MAPPER.readTree(answer.getResponseAsString());
    }

    private JsonNode query(JsonNode step) {
        CosmosQueryRequestOptions options = new CosmosQueryRequestOptions();
        if (step.has("key")) options.setPartitionKey(partitionKey(step.get("key")));
        ArrayNode rows = JSON.arrayNode();
        container.queryItems(step.get("query").asText(), options, JsonNode.class).forEach(rows::add);
        return rows;
    }

    private JsonNode write(JsonNode step) {
        JsonNode item = withStored(step.get("item"));
        PartitionKey key = partitionKey(item.get(keyName));
        CosmosItemRequestOptions options = new CosmosItemRequestOptions();
        if (step.has("pre")) options.setPreTriggerInclude(List.of(step.get("pre").asText()));
        if (step.has("post")) options.setPostTriggerInclude(List.of(step.get("post").asText()));
        switch (step.get("do").asText()) {
            case "create": return container.createItem(item, key, options).getItem();
            case "upsert": return container.upsertItem(item, key, options).getItem();
            case "replace": return container.replaceItem(item, item.get("id").asText(), key, options).getItem();
            case "delete":
                container.deleteItem(item.get("id").asText(), key, options);
                return null;
            default: throw new AssertionError("no such step: " + step);
        }
    }

    /** Replaces {"the stored item": id} by that item with all its system properties. */
    private JsonNode withStored(JsonNode value) {
        if (value.isArray()) {
            ArrayNode out = JSON.arrayNode();
            value.forEach(each -> out.add(withStored(each)));
            return out;
        }
        if (!value.has("the stored item")) return value;
        for (JsonNode item : allItems()) {
            if (item.get("id").equals(value.get("the stored item"))) return item;
        }
        throw new AssertionError("not stored: " + value);
    }

    private JsonNode allItems() {
        ArrayNode items = JSON.arrayNode();
        container.queryItems("SELECT * FROM c", new CosmosQueryRequestOptions(), ObjectNode.class).forEach(items::add);
        return items;
    }

    private JsonNode ordered(JsonNode items) {
        return ScriptJson.sorted(items, Comparator.comparing(item -> item.get("id") + " " + item.get(keyName)));
    }

    private static PartitionKey partitionKey(JsonNode value) {
        return new PartitionKey(MAPPER.convertValue(value, Object.class));
    }
}
