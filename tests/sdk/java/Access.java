import com.azure.core.credential.AccessToken;
import com.azure.core.credential.TokenCredential;
import com.azure.core.credential.TokenRequestContext;
import com.azure.cosmos.CosmosAsyncClient;
import com.azure.cosmos.CosmosAsyncDatabase;
import com.azure.cosmos.CosmosClient;
import com.azure.cosmos.CosmosClientBuilder;
import com.azure.cosmos.CosmosContainer;
import com.azure.cosmos.CosmosDatabase;
import com.azure.cosmos.models.CosmosItemRequestOptions;
import com.azure.cosmos.models.CosmosPermissionProperties;
import com.azure.cosmos.models.CosmosQueryRequestOptions;
import com.azure.cosmos.models.CosmosUserProperties;
import com.azure.cosmos.models.PartitionKey;
import com.azure.cosmos.models.PermissionMode;
import java.nio.charset.StandardCharsets;
import java.time.OffsetDateTime;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import reactor.core.publisher.Mono;

/** Users, permissions and other credentials than the account key. */
final class Access {
    private Access() {}

    static void register() {
        Suite.scenarioInDatabase("user.lifecycle", Access::userLifecycle);
        Suite.scenarioInContainer("permission.lifecycle", "/pk", Access::permissionLifecycle);
        Suite.scenarioInContainer("access.resource_token", "/pk", Access::resourceToken);
        Suite.scenarioInContainer("access.partition_token", "/pk", Access::partitionToken);
        String key = System.getenv("ORRERY_READONLY_KEY");
        if (key != null && !key.isEmpty()) {
            Suite.scenarioInContainer("access.readonly_key", "/pk", container -> readonlyKey(container, key));
        }
        Suite.scenarioInContainer("access.aad", "/pk", Access::aad);
    }

    /** The synchronous client has no users. */
    private interface WithUsers { void run(CosmosAsyncDatabase database) throws Exception; }

    private static void withUsers(String database, WithUsers body) throws Exception {
        try (CosmosAsyncClient client = builder().key(System.getenv("ORRERY_KEY")).buildAsyncClient()) {
            body.run(client.getDatabase(database));
        }
    }

    private static CosmosClientBuilder builder() {
        return new CosmosClientBuilder().endpoint(System.getenv("ORRERY_ENDPOINT")).gatewayMode()
            .contentResponseOnWriteEnabled(true);
    }

    private static void userLifecycle(CosmosDatabase made) throws Exception {
        withUsers(made.getId(), database -> {
            database.createUser(new CosmosUserProperties().setId("ann")).block();
            Suite.expect("read", database.getUser("ann").read().block().getProperties().getId(), "ann");
            Suite.refused(409, () -> database.createUser(new CosmosUserProperties().setId("ann")).block());
            database.upsertUser(new CosmosUserProperties().setId("bob")).block();
            List<String> listed = database.readAllUsers().map(CosmosUserProperties::getId).collectList().block();
            Suite.expect("listed", listed.stream().sorted().collect(Collectors.toList()), List.of("ann", "bob"));
            Suite.expect("found", database.queryUsers("SELECT * FROM c WHERE c.id = 'bob'")
                .map(CosmosUserProperties::getId).collectList().block(), List.of("bob"));
            CosmosUserProperties ann = database.getUser("ann").read().block().getProperties();
            Suite.expect("replaced", database.getUser("ann").replace(ann.setId("anna")).block().getProperties().getId(),
                "anna");
            Suite.refused(404, () -> database.getUser("ann").read().block());
            database.getUser("anna").delete().block();
            Suite.refused(404, () -> database.getUser("anna").delete().block());
        });
    }

    private static CosmosPermissionProperties permission(String id, PermissionMode mode, String container) {
        return new CosmosPermissionProperties().setId(id).setPermissionMode(mode).setContainerName(container);
    }

    private static void permissionLifecycle(CosmosContainer container) throws Exception {
        withUsers(databaseOf(container), database -> {
            database.createUser(new CosmosUserProperties().setId("ann")).block();
            var user = database.getUser("ann");
            CosmosPermissionProperties made = user.createPermission(
                permission("p", PermissionMode.READ, container.getId()), null).block().getProperties();
            Suite.expect("mode", made.getPermissionMode(), PermissionMode.READ);
            Suite.expect("token", made.getToken().startsWith("type=resource&ver=1&sig="), true);
            Suite.expect("etag", user.getPermission("p").read(null).block().getProperties().getETag(), made.getETag());
            Suite.refused(409, () -> user.createPermission(
                permission("q", PermissionMode.ALL, container.getId()), null).block());
            Suite.expect("listed", user.readAllPermissions().map(CosmosPermissionProperties::getId).collectList()
                .block(), List.of("p"));
            // The SDK's replace() sends the name of the database as the resource.
            Suite.expect("upserted", user.upsertPermission(permission("p", PermissionMode.ALL, container.getId()), null)
                .block().getProperties().getPermissionMode(), PermissionMode.ALL);
            user.getPermission("p").delete(null).block();
            Suite.refused(404, () -> user.getPermission("p").read(null).block());
        });
    }

    private static String databaseOf(CosmosContainer container) {
        return container.read().getResponseHeaders().get("x-ms-alt-content-path").substring("dbs/".length());
    }

    /** A client that has only the token of this permission. */
    private static CosmosClient clientFor(CosmosContainer container, CosmosPermissionProperties permission)
            throws Exception {
        CosmosPermissionProperties[] made = new CosmosPermissionProperties[1];
        withUsers(databaseOf(container), database -> {
            database.upsertUser(new CosmosUserProperties().setId("holder")).block();
            made[0] = database.getUser("holder").upsertPermission(permission, null).block().getProperties();
        });
        // With permissions(), the SDK finds no token for the ranges of the container, which it reads by rid.
        return builder().resourceToken(made[0].getToken()).buildClient();
    }

    private static CosmosContainer same(CosmosClient client, CosmosContainer container) {
        return client.getDatabase(databaseOf(container)).getContainer(container.getId());
    }

    private static Map<String, Object> item(String id, String key) {
        return Map.of("id", id, "pk", key);
    }

    private static int count(CosmosContainer container, CosmosQueryRequestOptions options) {
        return (int) container.queryItems("SELECT * FROM c", options, Map.class).stream().count();
    }

    private static void resourceToken(CosmosContainer container) throws Exception {
        container.createItem(item("1", "a"));
        PartitionKey key = new PartitionKey("a");
        try (CosmosClient client = clientFor(container, permission("r", PermissionMode.READ, container.getId()))) {
            CosmosContainer reader = same(client, container);
            Suite.expect("read", reader.readItem("1", key, Map.class).getItem().get("id"), "1");
            Suite.expect("found", count(reader, new CosmosQueryRequestOptions()), 1);
            Suite.refused(403, () -> reader.createItem(item("2", "a")));
            Suite.refused(403, () -> reader.deleteItem("1", key, new CosmosItemRequestOptions()));
        }
        try (CosmosClient client = clientFor(container, permission("r", PermissionMode.ALL, container.getId()))) {
            CosmosContainer writer = same(client, container);
            writer.createItem(item("2", "a"));
            writer.deleteItem("2", key, new CosmosItemRequestOptions());
            Suite.refused(403, writer::delete);
        }
    }

    private static void partitionToken(CosmosContainer container) throws Exception {
        for (String key : List.of("a", "b")) container.createItem(item("1", key));
        CosmosPermissionProperties permission = permission("k", PermissionMode.ALL, container.getId())
            .setResourcePartitionKey(new PartitionKey("a"));
        try (CosmosClient client = clientFor(container, permission)) {
            CosmosContainer own = same(client, container);
            PartitionKey key = new PartitionKey("a");
            Suite.expect("read", own.readItem("1", key, Map.class).getItem().get("pk"), "a");
            Suite.expect("found", count(own, new CosmosQueryRequestOptions().setPartitionKey(key)), 1);
            own.upsertItem(item("2", "a"));
            Suite.refused(403, () -> own.upsertItem(item("2", "b")));
        }
    }

    private static void readonlyKey(CosmosContainer container, String key) throws Exception {
        container.createItem(item("1", "a"));
        try (CosmosClient client = Suite.newClient(key)) {
            CosmosContainer reader = same(client, container);
            Suite.expect("read", reader.readItem("1", new PartitionKey("a"), Map.class).getItem().get("id"), "1");
            Suite.expect("found", count(reader, new CosmosQueryRequestOptions()), 1);
            Suite.refused(403, () -> reader.createItem(item("2", "a")));
            Suite.refused(403, reader::delete);
        }
    }

    /** What test programs for emulators use: the account key in place of a signature. */
    private static final class EmulatorCredential implements TokenCredential {
        @Override
        public Mono<AccessToken> getToken(TokenRequestContext request) {
            OffsetDateTime expiry = OffsetDateTime.now().plusHours(1);
            String claims = "{\"aud\":\"https://localhost.localhost\",\"oid\":\"tester\",\"exp\":"
                + expiry.toEpochSecond() + "}";
            return Mono.just(new AccessToken(encoded("{\"alg\":\"RS256\",\"typ\":\"JWT\"}") + "." + encoded(claims)
                + "." + encoded(System.getenv("ORRERY_KEY")), expiry));
        }

        private static String encoded(String text) {
            return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(StandardCharsets.UTF_8));
        }
    }

    private static void aad(CosmosContainer container) throws Exception {
        try (CosmosClient client = builder().credential(new EmulatorCredential()).buildClient()) {
            CosmosContainer own = same(client, container);
            own.createItem(item("1", "a"));
            Suite.expect("read", own.readItem("1", new PartitionKey("a"), Map.class).getItem().get("id"), "1");
            Suite.expect("found", count(own, new CosmosQueryRequestOptions()), 1);
            Suite.refused(403, () -> client.createDatabase("never"));
            Suite.refused(403, own::delete);
        }
    }
}
