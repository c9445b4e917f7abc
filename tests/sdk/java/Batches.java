import com.azure.cosmos.CosmosContainer;
import com.azure.cosmos.models.CosmosBatch;
import com.azure.cosmos.models.CosmosBatchItemRequestOptions;
import com.azure.cosmos.models.CosmosBatchOperationResult;
import com.azure.cosmos.models.CosmosBatchResponse;
import com.azure.cosmos.models.CosmosBulkOperationResponse;
import com.azure.cosmos.models.CosmosBulkOperations;
import com.azure.cosmos.models.CosmosItemOperation;
import com.azure.cosmos.models.CosmosItemRequestOptions;
import com.azure.cosmos.models.CosmosItemResponse;
import com.azure.cosmos.models.CosmosPatchItemRequestOptions;
import com.azure.cosmos.models.CosmosPatchOperations;
import com.azure.cosmos.models.PartitionKey;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Patches, transactional batches, bulk operations. */
final class Batches {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final PartitionKey P = new PartitionKey("p");

    private Batches() {}

    static void register() {
        Suite.scenarioInContainer("patch.operations", "/pk", Batches::patchOperations);
        Suite.scenarioInContainer("patch.condition", "/pk", Batches::patchCondition);
        Suite.scenarioInContainer("patch.refused", "/pk", Batches::patchRefused);
        Suite.scenarioInContainer("batch.commit", "/pk", Batches::commit);
        Suite.scenarioInContainer("batch.rollback", "/pk", Batches::rollback);
        Suite.scenarioInContainer("batch.refused", "/pk", Batches::refused);
        Suite.scenarioInContainer("key.delete_all", "/pk", Batches::deleteAll);
        Suite.scenarioInContainer("bulk.mixed", "/pk", Batches::bulkMixed);
    }

    private static void patchOperations(CosmosContainer items) {
        ObjectNode before = item("one", "p", 1).put("name", "before");
        before.putArray("tags").add("x");
        before.putObject("old");
        items.createItem(before);
        CosmosItemResponse<ObjectNode> patched = items.patchItem("one", P, CosmosPatchOperations.create()
            .add("/tags/-", "y").add("/tags/0", "w").set("/tags/1", "X").replace("/name", "after")
            .increment("/n", 41).remove("/old").move("/name", "/title"), ObjectNode.class);
        Suite.expect("status", patched.getStatusCode(), 200);
        Suite.expect("n", patched.getItem().get("n").intValue(), 42);
        Suite.expect("tags", patched.getItem().get("tags").toString(), "[\"w\",\"X\",\"y\"]");
        Suite.expect("title", patched.getItem().get("title").textValue(), "after");
        Suite.expect("gone", patched.getItem().has("old") || patched.getItem().has("name"), false);
    }

    private static void patchCondition(CosmosContainer items) throws Exception {
        String etag = items.createItem(item("one", "p", 1)).getETag();
        CosmosPatchOperations next = CosmosPatchOperations.create().increment("/n", 1);
        items.patchItem("one", P, next, when("from c where c.n = 1"), ObjectNode.class);
        Suite.refused(412, () -> items.patchItem("one", P, next, when("from c where c.n = 1"), ObjectNode.class));
        CosmosPatchItemRequestOptions stale = new CosmosPatchItemRequestOptions();
        stale.setIfMatchETag(etag);
        Suite.refused(412, () -> items.patchItem("one", P, next, stale, ObjectNode.class));
        Suite.expect("n", items.readItem("one", P, ObjectNode.class).getItem().get("n").intValue(), 2);
    }

    private static CosmosPatchItemRequestOptions when(String condition) {
        return new CosmosPatchItemRequestOptions().setFilterPredicate(condition);
    }

    private static void patchRefused(CosmosContainer items) throws Exception {
        items.createItem(item("one", "p", 1).put("s", "x"));
        CosmosPatchOperations eleven = CosmosPatchOperations.create();
        for (int i = 0; i < 11; i++) eleven.increment("/n", 1);
        for (CosmosPatchOperations each : List.of(CosmosPatchOperations.create().replace("/none", 1),
                CosmosPatchOperations.create().add("/none/x", 1), CosmosPatchOperations.create().increment("/s", 1),
                CosmosPatchOperations.create().set("/id", "two"), CosmosPatchOperations.create().set("/pk", "q"), eleven)) {
            Suite.refused(400, () -> items.patchItem("one", P, each, ObjectNode.class));
        }
        Suite.refused(404, () -> items.patchItem("none", P, CosmosPatchOperations.create().set("/s", 1), ObjectNode.class));
    }

    private static void commit(CosmosContainer items) throws Exception {
        String etag = items.createItem(item("zero", "p", 1)).getETag();
        CosmosBatch batch = CosmosBatch.createCosmosBatch(P);
        batch.createItemOperation(item("one", "p", 1));
        batch.upsertItemOperation(item("two", "p", 1));
        batch.readItemOperation("one");
        batch.patchItemOperation("one", CosmosPatchOperations.create().increment("/n", 1));
        batch.replaceItemOperation("two", item("two", "p", 7));
        batch.deleteItemOperation("zero", new CosmosBatchItemRequestOptions().setIfMatchETag(etag));
        CosmosBatchResponse response = items.executeCosmosBatch(batch);
        Suite.expect("success", response.isSuccessStatusCode(), true);
        Suite.expect("statuses", statuses(response), List.of(201, 201, 200, 200, 200, 204));
        Suite.expect("patched", response.getResults().get(3).getItem(ObjectNode.class).get("n").intValue(), 2);
        Suite.expect("charged", response.getRequestCharge() > 0, true);
        Suite.expect("n", items.readItem("two", P, ObjectNode.class).getItem().get("n").intValue(), 7);
        Suite.refused(404, () -> items.readItem("zero", P, ObjectNode.class));
    }

    private static void rollback(CosmosContainer items) throws Exception {
        items.createItem(item("zero", "p", 1));
        CosmosBatch batch = CosmosBatch.createCosmosBatch(P);
        batch.createItemOperation(item("one", "p", 1));
        batch.deleteItemOperation("zero");
        batch.createItemOperation(item("one", "p", 1));
        batch.readItemOperation("one");
        CosmosBatchResponse response = items.executeCosmosBatch(batch);
        Suite.expect("status", response.getStatusCode(), 409);
        Suite.expect("statuses", statuses(response), List.of(424, 424, 409, 424));
        items.readItem("zero", P, ObjectNode.class);
        Suite.refused(404, () -> items.readItem("one", P, ObjectNode.class));
    }

    private static void refused(CosmosContainer items) throws Exception {
        CosmosBatch many = CosmosBatch.createCosmosBatch(P);
        for (int i = 0; i < 101; i++) many.createItemOperation(item("" + i, "p", i));
        Suite.refused(400, () -> items.executeCosmosBatch(many));
        CosmosBatch mixed = CosmosBatch.createCosmosBatch(P);
        mixed.createItemOperation(item("one", "q", 1));
        Suite.expect("other key", items.executeCosmosBatch(mixed).getStatusCode(), 400);
    }

    private static void deleteAll(CosmosContainer items) throws Exception {
        for (int i = 0; i < 20; i++) items.createItem(item("" + i, i < 15 ? "p" : "q", i));
        Suite.expect("status", items.deleteAllItemsByPartitionKey(P, new CosmosItemRequestOptions()).getStatusCode(), 200);
        Suite.refused(404, () -> items.readItem("0", P, ObjectNode.class));
        Suite.expect("others", items.readItem("19", new PartitionKey("q"), ObjectNode.class).getStatusCode(), 200);
        items.createItem(item("0", "p", 1));
        Suite.expect("anew", items.readItem("0", P, ObjectNode.class).getStatusCode(), 200);
    }

    private static void bulkMixed(CosmosContainer items) {
        List<CosmosItemOperation> creates = new ArrayList<>();
        for (int i = 0; i < 250; i++) {
            creates.add(CosmosBulkOperations.getCreateItemOperation(item("1", "key " + i, i), new PartitionKey("key " + i)));
        }
        Suite.expect("creates", counts(items, creates), Map.of(201, 250));
        Suite.expect("again", counts(items, creates.subList(0, 3)), Map.of(409, 3));
        Suite.expect("others", counts(items, List.of(
            CosmosBulkOperations.getUpsertItemOperation(item("1", "key 1", 9), new PartitionKey("key 1")),
            CosmosBulkOperations.getReadItemOperation("1", new PartitionKey("key 2")),
            CosmosBulkOperations.getDeleteItemOperation("1", new PartitionKey("key 3")),
            CosmosBulkOperations.getDeleteItemOperation("none", new PartitionKey("key 4")),
            CosmosBulkOperations.getReplaceItemOperation("1", item("1", "key 5", 9), new PartitionKey("key 5")),
            CosmosBulkOperations.getPatchItemOperation("1", new PartitionKey("key 6"),
                CosmosPatchOperations.create().set("/n", 9)))), Map.of(200, 4, 204, 1, 404, 1));
        Suite.expect("n", items.readItem("1", new PartitionKey("key 6"), ObjectNode.class).getItem().get("n").intValue(), 9);
    }

    /** The number of operations by status; the SDK returns their results in any order. */
    private static Map<Integer, Integer> counts(CosmosContainer items, List<CosmosItemOperation> operations) {
        Map<Integer, Integer> out = new TreeMap<>();
        for (CosmosBulkOperationResponse<?> each : items.executeBulkOperations(operations)) {
            if (each.getResponse() == null) throw new AssertionError("no response", each.getException());
            out.merge(each.getResponse().getStatusCode(), 1, Integer::sum);
        }
        return out;
    }

    private static List<Integer> statuses(CosmosBatchResponse response) {
        return response.getResults().stream().map(CosmosBatchOperationResult::getStatusCode).collect(Collectors.toList());
    }

    private static ObjectNode item(String id, String key, int n) {
        return MAPPER.createObjectNode().put("id", id).put("pk", key).put("n", n);
    }
}
