import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Compares JSON of a script case with a result: numbers by value, "*" matches anything, no system properties. */
final class ScriptJson {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
    private static final Set<String> SYSTEM = Set.of("_rid", "_self", "_etag", "_ts", "_attachments");

    private ScriptJson() {}

    static void expectAlike(String what, JsonNode got, JsonNode wanted) {
        Suite.expect(what, masked(got, wanted), masked(wanted, wanted));
    }

    static JsonNode sortedByText(JsonNode rows) {
        return sorted(rows, Comparator.comparing(row -> masked(row, null).toString()));
    }

    static JsonNode sorted(JsonNode values, Comparator<JsonNode> order) {
        List<JsonNode> list = new ArrayList<>();
        values.forEach(list::add);
        list.sort(order);
        return JSON.arrayNode().addAll(list);
    }

    private static JsonNode masked(JsonNode got, JsonNode wanted) {
        if (wanted != null && wanted.isTextual() && wanted.asText().equals("*")) return JSON.textNode("*");
        if (got != null && got.isNumber()) return JSON.numberNode(got.doubleValue());
        if (got != null && got.isArray()) {
            ArrayNode out = JSON.arrayNode();
            for (int n = 0; n < got.size(); n++) out.add(masked(got.get(n), wanted == null ? null : wanted.get(n)));
            return out;
        }
        if (got == null || !got.isObject()) return got;
        ObjectNode out = JSON.objectNode();
        for (Map.Entry<String, JsonNode> each : got.properties()) {
            if (SYSTEM.contains(each.getKey())) continue;
            out.set(each.getKey(), masked(each.getValue(), wanted == null ? null : wanted.get(each.getKey())));
        }
        return out;
    }
}
