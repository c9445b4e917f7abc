import com.azure.cosmos.CosmosContainer;
import com.azure.cosmos.CosmosDatabase;
import com.azure.cosmos.models.CosmosContainerProperties;
import com.azure.cosmos.models.CosmosItemRequestOptions;
import com.azure.cosmos.models.CosmosItemResponse;
import com.azure.cosmos.models.PartitionKey;
import com.azure.cosmos.models.PartitionKeyBuilder;
import com.azure.cosmos.models.PartitionKeyDefinition;
import com.azure.cosmos.models.PartitionKeyDefinitionVersion;
import com.azure.cosmos.models.PartitionKind;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;

/** Items: CRUD, etags, hierarchical keys, headers. */
final class Items {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final PartitionKey P = new PartitionKey("p");

    private Items() {}

    static void register() {
        inItems("item.create_read", Items::createRead);
        inItems("item.replace", Items::replace);
        inItems("item.property_order", Items::propertyOrder);
        inItems("item.upsert", items -> {
            Suite.expect("new", items.upsertItem(item("one", 1)).getStatusCode(), 201);
            Suite.expect("existing", items.upsertItem(item("one", 2)).getStatusCode(), 200);
            Suite.expect("n", read(items, P, "one").get("n").intValue(), 2);
        });
        inItems("item.delete", items -> {
            items.createItem(item("one", 1));
            Suite.expect("delete", items.deleteItem("one", P, plain()).getStatusCode(), 204);
            Suite.refused(404, () -> read(items, P, "one"));
            Suite.refused(404, () -> items.deleteItem("one", P, plain()));
        });
        Suite.scenarioInDatabase("item.missing", database -> {
            database.createContainer("items", "/pk");
            Suite.refused(404, () -> read(database.getContainer("items"), P, "none"));
            Suite.refused(404, () -> read(database.getContainer("none"), P, "none"));
        });
        inItems("item.conflict", items -> {
            items.createItem(item("one", 1));
            Suite.refused(409, () -> items.createItem(item("one", 2)));
            Suite.expect("n", read(items, P, "one").get("n").intValue(), 1);
        });
        Suite.scenarioInContainer("item.same_id_other_key", "/department", Items::sameIdOtherKey);
        inItems("item.etag_replace", Items::etagReplace);
        inItems("item.etag_delete", Items::etagDelete);
        inItems("item.etag_read", Items::etagRead);
        inItems("item.no_content", Items::noContent);
        Suite.scenarioInDatabase("key.hierarchical_two", database -> hierarchical(database, 2));
        Suite.scenarioInDatabase("key.hierarchical_three", database -> hierarchical(database, 3));
        inItems("response.headers", items -> {
            for (CosmosItemResponse<?> response : List.of(items.createItem(item("one", 1)),
                    items.readItem("one", P, ObjectNode.class))) {
                Suite.expect("charge above 0", response.getRequestCharge() > 0, true);
                Suite.expect("activity id", response.getActivityId().matches("[0-9a-fA-F-]{36}"), true);
                Suite.expect("session token", response.getSessionToken() != null, true);
            }
        });
    }

    private static void createRead(CosmosContainer items) {
        CosmosItemResponse<ObjectNode> created = items.createItem(item("one", 1));
        CosmosItemResponse<ObjectNode> read = items.readItem("one", P, ObjectNode.class);
        Suite.expect("create", created.getStatusCode(), 201);
        Suite.expect("read", read.getStatusCode(), 200);
        Suite.expect("body", read.getItem(), created.getItem());
        Suite.expect("etag", read.getETag(), read.getItem().get("_etag").textValue());
        Suite.expect("n", read.getItem().get("n").intValue(), 1);
        for (String name : List.of("_rid", "_self", "_etag", "_ts", "_attachments")) {
            Suite.expect(name, read.getItem().has(name), true);
        }
    }

    private static void replace(CosmosContainer items) throws Exception {
        String before = items.createItem(item("one", 1)).getETag();
        CosmosItemResponse<ObjectNode> replaced = items.replaceItem(item("one", 2), "one", P, plain());
        Suite.expect("status", replaced.getStatusCode(), 200);
        Suite.expect("same etag", replaced.getETag().equals(before), false);
        Suite.expect("n", read(items, P, "one").get("n").intValue(), 2);
        Suite.refused(404, () -> items.replaceItem(item("none", 1), "none", P, plain()));
    }

    private static void propertyOrder(CosmosContainer items) {
        items.createItem(item("one", 1));
        ObjectNode changed = MAPPER.createObjectNode().put("added", 1);
        changed.setAll(read(items, P, "one"));
        changed.put("last", true);
        ObjectNode replaced = items.replaceItem(changed, "one", P,
            plain().setContentResponseOnWriteEnabled(true)).getItem();
        List<String> names = List.of("added", "id", "pk", "n", "_rid", "_self", "_etag", "_attachments", "_ts", "last");
        for (ObjectNode item : List.of(replaced, read(items, P, "one"))) {
            List<String> found = new ArrayList<>();
            item.fieldNames().forEachRemaining(found::add);
            Suite.expect("order", found, names);
        }
    }

    private static void sameIdOtherKey(CosmosContainer items) throws Exception {
        String[][] pairs = {{"0001", "Marketing"}, {"0002", "Marketing"}, {"0001", "Sales"}};
        for (String[] pair : pairs) items.createItem(department(pair[0], pair[1]));
        for (String[] pair : pairs) {
            Suite.expect("both", read(items, new PartitionKey(pair[1]), pair[0]).get("both").textValue(),
                pair[1] + pair[0]);
        }
        Suite.refused(409, () -> items.createItem(department("0001", "Sales")));
    }

    private static void etagReplace(CosmosContainer items) throws Exception {
        String etag = items.createItem(item("one", 0)).getETag();
        items.replaceItem(item("one", 1), "one", P, plain().setIfMatchETag(etag));
        Suite.refused(412, () -> items.replaceItem(item("one", 2), "one", P, plain().setIfMatchETag(etag)));
        Suite.expect("n", read(items, P, "one").get("n").intValue(), 1);
    }

    private static void etagDelete(CosmosContainer items) throws Exception {
        String stale = items.createItem(item("one", 0)).getETag();
        String current = items.replaceItem(item("one", 1), "one", P, plain()).getETag();
        Suite.refused(412, () -> items.deleteItem("one", P, plain().setIfMatchETag(stale)));
        Suite.expect("delete", items.deleteItem("one", P, plain().setIfMatchETag(current)).getStatusCode(), 204);
    }

    private static void etagRead(CosmosContainer items) {
        String etag = items.createItem(item("one", 0)).getETag();
        Suite.expect("unchanged", items.readItem("one", P, plain().setIfNoneMatchETag(etag), ObjectNode.class)
            .getStatusCode(), 304);
        items.replaceItem(item("one", 1), "one", P, plain());
        Suite.expect("changed", items.readItem("one", P, plain().setIfNoneMatchETag(etag), ObjectNode.class)
            .getStatusCode(), 200);
    }

    private static void noContent(CosmosContainer items) {
        CosmosItemRequestOptions minimal = plain().setContentResponseOnWriteEnabled(false);
        CosmosItemResponse<ObjectNode> created = items.createItem(item("one", 1), P, minimal);
        CosmosItemResponse<ObjectNode> replaced = items.replaceItem(item("one", 2), "one", P,
            plain().setContentResponseOnWriteEnabled(false));
        Suite.expect("create", created.getStatusCode(), 201);
        Suite.expect("created body", created.getItem(), null);
        Suite.expect("replace", replaced.getStatusCode(), 200);
        Suite.expect("replaced body", replaced.getItem(), null);
        Suite.expect("etag", read(items, P, "one").get("_etag").textValue(), replaced.getETag());
        Suite.expect("n", read(items, P, "one").get("n").intValue(), 2);
    }

    private static void hierarchical(CosmosDatabase database, int levels) throws Exception {
        PartitionKeyDefinition definition = new PartitionKeyDefinition().setKind(PartitionKind.MULTI_HASH)
            .setVersion(PartitionKeyDefinitionVersion.V2)
            .setPaths(List.of("/tenant", "/user", "/session").subList(0, levels));
        database.createContainer(new CosmosContainerProperties("levels", definition));
        CosmosContainer items = database.getContainer("levels");
        items.createItem(visit("alice", 0), full("alice", levels), plain());
        items.createItem(visit("bob", 1), full("bob", levels), plain());
        Suite.refused(409, () -> items.createItem(visit("alice", 9), full("alice", levels), plain()));
        Suite.expect("alice", read(items, full("alice", levels), "one").get("n").intValue(), 0);
        Suite.expect("bob", read(items, full("bob", levels), "one").get("n").intValue(), 1);
        Suite.refused(404, () -> read(items, full("carol", levels), "one"));
        Suite.expect("delete", items.deleteItem("one", full("alice", levels), plain()).getStatusCode(), 204);
        Suite.expect("bob", read(items, full("bob", levels), "one").get("n").intValue(), 1);
    }

    private static PartitionKey full(String user, int levels) {
        PartitionKeyBuilder key = new PartitionKeyBuilder().add("Contoso").add(user);
        return (levels == 3 ? key.add(7) : key).build();
    }

    private static ObjectNode visit(String user, int n) {
        return item("one", n).put("tenant", "Contoso").put("user", user).put("session", 7);
    }

    private static ObjectNode department(String id, String name) {
        return item(id, 0).put("department", name).put("both", name + id);
    }

    private static ObjectNode item(String id, int n) {
        return MAPPER.createObjectNode().put("id", id).put("pk", "p").put("n", n);
    }

    private static ObjectNode read(CosmosContainer items, PartitionKey key, String id) {
        return items.readItem(id, key, ObjectNode.class).getItem();
    }

    private static CosmosItemRequestOptions plain() {
        return new CosmosItemRequestOptions();
    }

    private static void inItems(String name, Suite.InContainer body) {
        Suite.scenarioInContainer(name, "/pk", body);
    }
}
