import com.azure.core.cryptography.KeyEncryptionKey;
import com.azure.core.cryptography.KeyEncryptionKeyResolver;
import com.azure.cosmos.CosmosContainer;
import com.azure.cosmos.CosmosDatabase;
import com.azure.cosmos.encryption.CosmosEncryptionClient;
import com.azure.cosmos.encryption.CosmosEncryptionClientBuilder;
import com.azure.cosmos.encryption.CosmosEncryptionContainer;
import com.azure.cosmos.encryption.CosmosEncryptionDatabase;
import com.azure.cosmos.encryption.models.CosmosEncryptionAlgorithm;
import com.azure.cosmos.encryption.models.CosmosEncryptionType;
import com.azure.cosmos.encryption.models.SqlQuerySpecWithEncryption;
import com.azure.cosmos.models.ClientEncryptionIncludedPath;
import com.azure.cosmos.models.ClientEncryptionPolicy;
import com.azure.cosmos.models.CosmosContainerProperties;
import com.azure.cosmos.models.CosmosItemRequestOptions;
import com.azure.cosmos.models.CosmosQueryRequestOptions;
import com.azure.cosmos.models.EncryptionKeyWrapMetadata;
import com.azure.cosmos.models.PartitionKey;
import com.azure.cosmos.models.SqlParameter;
import com.azure.cosmos.models.SqlQuerySpec;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;

/** Client-side encryption: the server keeps wrapped keys and policies, and sees ciphertext only. */
public final class Encryption {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final String VAULT = "TEST_VAULT";
    private static final String ALGORITHM = CosmosEncryptionAlgorithm.AEAD_AES_256_CBC_HMAC_SHA256.getName();
    private static final CosmosEncryptionType EQUAL = CosmosEncryptionType.DETERMINISTIC;
    private static final CosmosEncryptionType RANDOM = CosmosEncryptionType.RANDOMIZED;

    private Encryption() {}

    public static void main(String[] arguments) {
        Suite.scenarioInDatabase("encryption.items", Encryption::items);
        Suite.scenarioInDatabase("encryption.keys", Encryption::keys);
        Suite.scenarioInDatabase("encryption.recreated", Encryption::recreated);
        System.exit(Suite.run());
    }

    /** A key vault in this process: wraps data encryption keys with AES (RFC 3394), one key per vault and name. */
    private static final class Vault implements KeyEncryptionKeyResolver {
        private final String secret;

        Vault(String secret) {
            this.secret = secret;
        }

        @Override
        public KeyEncryptionKey buildKeyEncryptionKey(String id) {
            return new KeyEncryptionKey() {
                @Override
                public String getKeyId() {
                    return id;
                }

                @Override
                public byte[] wrapKey(String algorithm, byte[] key) {
                    try {
                        return started(Cipher.WRAP_MODE).wrap(new SecretKeySpec(key, "AES"));
                    } catch (GeneralSecurityException problem) {
                        throw new IllegalStateException(problem);
                    }
                }

                @Override
                public byte[] unwrapKey(String algorithm, byte[] wrapped) {
                    try {
                        return started(Cipher.UNWRAP_MODE).unwrap(wrapped, "AES", Cipher.SECRET_KEY).getEncoded();
                    } catch (GeneralSecurityException problem) {
                        throw new IllegalStateException(problem);
                    }
                }

                private Cipher started(int mode) throws GeneralSecurityException {
                    byte[] digest = MessageDigest.getInstance("SHA-256").digest(
                        (secret + id).getBytes(StandardCharsets.UTF_8));
                    SecretKey wrapping = new SecretKeySpec(digest, "AES");
                    Cipher cipher = Cipher.getInstance("AESWrap");
                    cipher.init(mode, wrapping);
                    return cipher;
                }
            };
        }
    }

    private static CosmosEncryptionClient newClient(String secret) {
        return new CosmosEncryptionClientBuilder().cosmosClient(Suite.newClient(System.getenv("ORRERY_KEY")))
            .keyEncryptionKeyResolver(new Vault(secret)).keyEncryptionKeyResolverName(VAULT).buildClient();
    }

    private static EncryptionKeyWrapMetadata metadata(String name) {
        return new EncryptionKeyWrapMetadata(VAULT, "vault", name, "RSA-OAEP");
    }

    private static ClientEncryptionIncludedPath path(String path, CosmosEncryptionType type, String key) {
        return new ClientEncryptionIncludedPath().setPath(path).setClientEncryptionKeyId(key)
            .setEncryptionType(type.getName()).setEncryptionAlgorithm(ALGORITHM);
    }

    private static CosmosContainerProperties encrypted(int version, ClientEncryptionIncludedPath... paths) {
        return new CosmosContainerProperties("items", "/pk")
            .setClientEncryptionPolicy(new ClientEncryptionPolicy(List.of(paths), version));
    }

    private static ObjectNode person(String id, String name) {
        ObjectNode item = MAPPER.createObjectNode().put("id", id).put("pk", "p").put("name", name).put("age", 40)
            .put("open", 5);
        item.putObject("notes").putArray("deep").add(1).add("two");
        return item;
    }

    /** The properties of `item` that its author set. */
    private static ObjectNode own(ObjectNode item) {
        return item.deepCopy().retain("id", "pk", "name", "age", "open", "notes", "again");
    }

    private static void items(CosmosDatabase plain) throws Exception {
        try (CosmosEncryptionClient client = newClient("ours"); CosmosEncryptionClient stranger = newClient("theirs")) {
            CosmosEncryptionDatabase database = client.getCosmosEncryptionDatabase(plain.getId());
            database.createClientEncryptionKey("key", ALGORITHM, metadata("one"));
            plain.createContainer(encrypted(2, path("/pk", EQUAL, "key"), path("/name", EQUAL, "key"),
                path("/age", EQUAL, "key"), path("/notes", RANDOM, "key")));
            CosmosEncryptionContainer people = database.getCosmosEncryptionContainer("items");
            PartitionKey key = new PartitionKey("p");
            CosmosItemRequestOptions none = new CosmosItemRequestOptions();
            List<ObjectNode> all = List.of(person("1", "Ann"), person("2", "Bob"), person("3", "Bob"));
            for (ObjectNode item : all) {
                Suite.expect("created", own(people.createItem(item, key, none).getItem()), item);
            }
            looksEncrypted(plain.getContainer("items"));
            Suite.expect("read", own(people.readItem("1", key, ObjectNode.class).getItem()), all.get(0));
            Suite.expect("found", idsOf(people, "name", new SqlParameter("@value", "Bob")), List.of("2", "3"));
            Suite.expect("found by number", idsOf(people, "age", new SqlParameter("@value", 40)),
                List.of("1", "2", "3"));
            Suite.expect("not found", idsOf(people, "name", new SqlParameter("@value", "Cid")), List.of());
            ObjectNode changed = person("2", "Cid").put("again", true);
            Suite.expect("replaced", own(people.replaceItem(changed, "2", key, none).getItem()), changed);
            Suite.expect("found after replace", idsOf(people, "name", new SqlParameter("@value", "Cid")), List.of("2"));
            Suite.expect("gone from the index", idsOf(people, "name", new SqlParameter("@value", "Bob")), List.of("3"));
            people.deleteItem("3", key, none);
            Suite.refused(404, () -> people.readItem("3", key, ObjectNode.class));
            // The same server and account key, but another vault.
            mustThrow("read without the key", () -> stranger.getCosmosEncryptionDatabase(plain.getId())
                .getCosmosEncryptionContainer("items").readItem("1", key, ObjectNode.class));
        }
    }

    /** A client without encryption: equal values look equal if deterministic, different if randomized. */
    private static void looksEncrypted(CosmosContainer container) {
        List<ObjectNode> stored = new ArrayList<>();
        container.queryItems("SELECT * FROM c ORDER BY c.id", new CosmosQueryRequestOptions(), ObjectNode.class)
            .forEach(stored::add);
        Suite.expect("stored", stored.size(), 3);
        for (ObjectNode item : stored) {
            Suite.expect("open", item.get("open").intValue(), 5);
            String text = item.toString();
            for (String secret : List.of("Ann", "Bob", "two", "\"p\"")) {
                if (text.contains(secret)) throw new AssertionError(secret + " in " + text);
            }
            if (!item.get("age").isTextual()) throw new AssertionError("age in " + text);
        }
        ObjectNode second = stored.get(1);
        ObjectNode third = stored.get(2);
        Suite.expect("deterministic", second.get("name"), third.get("name"));
        if (second.get("name").equals(stored.get(0).get("name"))) throw new AssertionError("names look equal");
        if (second.get("notes").equals(third.get("notes"))) throw new AssertionError("randomized values look equal");
    }

    private static List<String> idsOf(CosmosEncryptionContainer container, String property, SqlParameter value) {
        SqlQuerySpecWithEncryption query = new SqlQuerySpecWithEncryption(
            new SqlQuerySpec("SELECT * FROM c WHERE c." + property + " = @value ORDER BY c.id"));
        query.addEncryptionParameter("/" + property, value);
        List<String> ids = new ArrayList<>();
        container.queryItemsOnEncryptedProperties(query, new CosmosQueryRequestOptions(), ObjectNode.class)
            .forEach(item -> ids.add(item.get("id").textValue()));
        return ids;
    }

    private static void keys(CosmosDatabase plain) throws Exception {
        try (CosmosEncryptionClient client = newClient("ours")) {
            CosmosEncryptionDatabase database = client.getCosmosEncryptionDatabase(plain.getId());
            database.createClientEncryptionKey("key", ALGORITHM, metadata("one"));
            Suite.refused(409, () -> database.createClientEncryptionKey("key", ALGORITHM, metadata("one")));
            var before = database.getClientEncryptionKey("key").read().getProperties();
            Suite.expect("metadata", before.getEncryptionKeyWrapMetadata(), metadata("one"));
            database.rewrapClientEncryptionKey("key", metadata("another"));
            var after = database.getClientEncryptionKey("key").read().getProperties();
            Suite.expect("new metadata", after.getEncryptionKeyWrapMetadata(), metadata("another"));
            if (Arrays.equals(before.getWrappedDataEncryptionKey(), after.getWrappedDataEncryptionKey())) {
                throw new AssertionError("wrapped with the same key");
            }
            List<String> listed = new ArrayList<>();
            database.readAllClientEncryptionKeys().forEach(each -> listed.add(each.getId()));
            Suite.expect("listed", listed, List.of("key"));

            Suite.refused(400, () -> plain.createContainer(encrypted(1, path("/a", EQUAL, "none"))));
            plain.createContainer(encrypted(1, path("/a", EQUAL, "key")));
            CosmosContainer container = plain.getContainer("items");
            CosmosContainerProperties kept = container.read().getProperties();
            Suite.expect("policy", kept.getClientEncryptionPolicy().getIncludedPaths().get(0).getPath(), "/a");
            Suite.refused(400, () -> container.replace(kept.setClientEncryptionPolicy(
                new ClientEncryptionPolicy(List.of(path("/b", EQUAL, "key")), 1))));
        }
    }

    /** A client that still has the policy of a container that was removed must not write plain values. */
    private static void recreated(CosmosDatabase plain) throws Exception {
        try (CosmosEncryptionClient client = newClient("ours")) {
            CosmosEncryptionDatabase database = client.getCosmosEncryptionDatabase(plain.getId());
            database.createClientEncryptionKey("key", ALGORITHM, metadata("one"));
            plain.createContainer(encrypted(1, path("/name", EQUAL, "key")));
            CosmosEncryptionContainer people = database.getCosmosEncryptionContainer("items");
            PartitionKey key = new PartitionKey("p");
            CosmosItemRequestOptions none = new CosmosItemRequestOptions();
            people.createItem(person("1", "Ann"), key, none);
            plain.getContainer("items").delete();
            database.createClientEncryptionKey("other", ALGORITHM, metadata("two"));
            plain.createContainer(encrypted(1, path("/notes", RANDOM, "other")));
            ObjectNode item = person("2", "Bob");
            Suite.expect("created", own(people.createItem(item, key, none).getItem()), item);
            ObjectNode stored = plain.getContainer("items").readItem("2", key, ObjectNode.class).getItem();
            Suite.expect("not encrypted any more", stored.get("name").textValue(), "Bob");
            Suite.expect("encrypted now", stored.toString().contains("two"), false);
            Suite.expect("read", own(people.readItem("2", key, ObjectNode.class).getItem()), item);
        }
    }

    private static void mustThrow(String what, Suite.Body body) {
        try {
            body.run();
        } catch (Exception expected) {
            return;
        }
        throw new AssertionError(what + ": success");
    }
}
