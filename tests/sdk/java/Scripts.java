import com.azure.cosmos.CosmosContainer;
import com.azure.cosmos.CosmosScripts;
import com.azure.cosmos.CosmosStoredProcedure;
import com.azure.cosmos.CosmosTrigger;
import com.azure.cosmos.CosmosUserDefinedFunction;
import com.azure.cosmos.models.CosmosQueryRequestOptions;
import com.azure.cosmos.models.CosmosStoredProcedureProperties;
import com.azure.cosmos.models.CosmosStoredProcedureRequestOptions;
import com.azure.cosmos.models.CosmosStoredProcedureResponse;
import com.azure.cosmos.models.CosmosTriggerProperties;
import com.azure.cosmos.models.CosmosTriggerResponse;
import com.azure.cosmos.models.CosmosUserDefinedFunctionProperties;
import com.azure.cosmos.models.CosmosUserDefinedFunctionResponse;
import com.azure.cosmos.models.FeedResponse;
import com.azure.cosmos.models.TriggerOperation;
import com.azure.cosmos.models.TriggerType;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Stored procedures, triggers and user-defined functions as resources. The SDK sends a replace to `_self`. */
final class Scripts {
    private static final String BODY = "serverScript() { var x = 10; }";

    private Scripts() {}

    static void register() {
        Suite.scenarioInContainer("script.stored_procedures", "/pk", Scripts::storedProcedures);
        Suite.scenarioInContainer("script.triggers", "/pk", Scripts::triggers);
        Suite.scenarioInContainer("script.udfs", "/pk", Scripts::udfs);
        Suite.scenarioInContainer("script.conflict", "/pk", container -> {
            CosmosScripts scripts = container.getScripts();
            scripts.createStoredProcedure(procedure("one", BODY));
            Suite.refused(409, () -> scripts.createStoredProcedure(procedure("one", BODY)));
            scripts.createTrigger(trigger("one"));
            Suite.refused(409, () -> scripts.createTrigger(trigger("one")));
            scripts.createUserDefinedFunction(udf("one", BODY));
            Suite.refused(409, () -> scripts.createUserDefinedFunction(udf("one", BODY)));
        });
        Suite.scenarioInContainer("script.etag", "/pk", Scripts::etag);
        Suite.scenarioInContainer("script.feed", "/pk", Scripts::feed);
    }

    private static void storedProcedures(CosmosContainer container) throws Exception {
        CosmosScripts scripts = container.getScripts();
        CosmosStoredProcedureResponse created = scripts.createStoredProcedure(procedure("my script", BODY));
        CosmosStoredProcedure one = scripts.getStoredProcedure("my script");
        Suite.expect("create", created.getStatusCode(), 201);
        Suite.expect("body", one.read().getProperties().getBody(), BODY);
        scripts.createStoredProcedure(procedure("other", BODY));
        Suite.expect("listed", scripts.readAllStoredProcedures().stream()
            .map(CosmosStoredProcedureProperties::getId).collect(Collectors.toList()), List.of("my script", "other"));
        Suite.expect("found", scripts.queryStoredProcedures(Resources.byId("other"), new CosmosQueryRequestOptions())
            .stream().map(CosmosStoredProcedureProperties::getId).collect(Collectors.toList()), List.of("other"));
        Suite.expect("replace", one.replace(one.read().getProperties().setBody("new")).getStatusCode(), 200);
        Suite.expect("body", one.read().getProperties().getBody(), "new");
        Suite.expect("delete", one.delete().getStatusCode(), 204);
        Suite.refused(404, one::read);
        Suite.refused(404, one::delete);
    }

    private static void triggers(CosmosContainer container) throws Exception {
        CosmosScripts scripts = container.getScripts();
        CosmosTriggerResponse created = scripts.createTrigger(trigger("my script"));
        CosmosTrigger one = scripts.getTrigger("my script");
        CosmosTriggerProperties read = one.read().getProperties();
        Suite.expect("create", created.getStatusCode(), 201);
        Suite.expect("body", read.getBody(), BODY);
        Suite.expect("type", read.getTriggerType(), TriggerType.PRE);
        Suite.expect("operation", read.getTriggerOperation(), TriggerOperation.CREATE);
        scripts.createTrigger(trigger("other"));
        Suite.expect("listed", scripts.readAllTriggers().stream()
            .map(CosmosTriggerProperties::getId).collect(Collectors.toList()), List.of("my script", "other"));
        Suite.expect("found", scripts.queryTriggers(Resources.byId("other"), new CosmosQueryRequestOptions())
            .stream().map(CosmosTriggerProperties::getId).collect(Collectors.toList()), List.of("other"));
        Suite.expect("replace",
            one.replace(read.setTriggerType(TriggerType.POST)).getStatusCode(), 200);
        Suite.expect("type", one.read().getProperties().getTriggerType(), TriggerType.POST);
        Suite.expect("delete", one.delete().getStatusCode(), 204);
        Suite.refused(404, one::read);
        Suite.refused(404, one::delete);
    }

    private static void udfs(CosmosContainer container) throws Exception {
        CosmosScripts scripts = container.getScripts();
        CosmosUserDefinedFunctionResponse created = scripts.createUserDefinedFunction(udf("my script", BODY));
        CosmosUserDefinedFunction one = scripts.getUserDefinedFunction("my script");
        Suite.expect("create", created.getStatusCode(), 201);
        Suite.expect("body", one.read().getProperties().getBody(), BODY);
        scripts.createUserDefinedFunction(udf("other", BODY));
        Suite.expect("listed", scripts.readAllUserDefinedFunctions().stream()
            .map(CosmosUserDefinedFunctionProperties::getId).collect(Collectors.toList()),
            List.of("my script", "other"));
        Suite.expect("found", scripts.queryUserDefinedFunctions(Resources.byId("other"), new CosmosQueryRequestOptions())
            .stream().map(CosmosUserDefinedFunctionProperties::getId).collect(Collectors.toList()), List.of("other"));
        Suite.expect("replace", one.replace(one.read().getProperties().setBody("new")).getStatusCode(), 200);
        Suite.expect("body", one.read().getProperties().getBody(), "new");
        Suite.expect("delete", one.delete().getStatusCode(), 204);
        Suite.refused(404, one::read);
        Suite.refused(404, one::delete);
    }

    private static void etag(CosmosContainer container) throws Exception {
        CosmosScripts scripts = container.getScripts();
        CosmosStoredProcedureProperties made =
            scripts.createStoredProcedure(procedure("p", BODY)).getProperties();
        CosmosStoredProcedure one = scripts.getStoredProcedure("p");
        CosmosStoredProcedureRequestOptions options =
            new CosmosStoredProcedureRequestOptions().setIfMatchETag(made.getETag());
        Suite.expect("replace", one.replace(made.setBody("new"), options).getStatusCode(), 200);
        Suite.refused(412, () -> one.replace(made.setBody("stale"), options));
        Suite.expect("body", one.read().getProperties().getBody(), "new");
    }

    private static void feed(CosmosContainer container) {
        List<String> wanted = List.of("u0", "u1", "u2", "u3", "u4");
        CosmosScripts scripts = container.getScripts();
        for (String id : wanted) scripts.createUserDefinedFunction(udf(id, BODY));
        List<String> found = new ArrayList<>();
        int pages = 0;
        for (FeedResponse<CosmosUserDefinedFunctionProperties> page
                : scripts.readAllUserDefinedFunctions().iterableByPage(2)) {
            Suite.expect("page of at most 2", page.getResults().size() <= 2, true);
            page.getResults().forEach(each -> found.add(each.getId()));
            pages++;
        }
        Suite.expect("scripts", found, wanted);
        Suite.expect("at least 3 pages", pages >= 3, true);
    }

    private static CosmosStoredProcedureProperties procedure(String id, String body) {
        return new CosmosStoredProcedureProperties(id, body);
    }

    private static CosmosUserDefinedFunctionProperties udf(String id, String body) {
        return new CosmosUserDefinedFunctionProperties(id, body);
    }

    private static CosmosTriggerProperties trigger(String id) {
        return new CosmosTriggerProperties(id, BODY).setTriggerType(TriggerType.PRE)
            .setTriggerOperation(TriggerOperation.CREATE);
    }
}
