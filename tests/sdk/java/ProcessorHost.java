import com.azure.cosmos.ChangeFeedProcessor;
import com.azure.cosmos.ChangeFeedProcessorBuilder;
import com.azure.cosmos.CosmosAsyncClient;
import com.azure.cosmos.CosmosAsyncDatabase;
import com.azure.cosmos.CosmosClientBuilder;
import com.azure.cosmos.models.ChangeFeedOperationType;
import com.azure.cosmos.models.ChangeFeedProcessorItem;
import com.azure.cosmos.models.ChangeFeedProcessorOptions;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/**
 * A change feed processor in a process of its own, for HandOver to kill. Appends a line for every change to a file:
 * host, partition key, kind of change and id. Runs until its standard input ends.
 */
public final class ProcessorHost {
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    private final String name;
    private final FileOutputStream log;

    private ProcessorHost(String name, String file) throws IOException {
        this.name = name;
        this.log = new FileOutputStream(file, true);
    }

    /** Arguments: host name, database, kind of processor, file. */
    public static void main(String[] arguments) throws Exception {
        ProcessorHost host = new ProcessorHost(arguments[0], arguments[3]);
        try (CosmosAsyncClient client = new CosmosClientBuilder().endpoint(System.getenv("ORRERY_ENDPOINT"))
                .key(System.getenv("ORRERY_KEY")).gatewayMode().contentResponseOnWriteEnabled(true).buildAsyncClient()) {
            ChangeFeedProcessor processor = host.processor(client.getDatabase(arguments[1]), arguments[2]);
            processor.start().block(PATIENCE);
            while (System.in.read() >= 0) continue;
            processor.stop().block(PATIENCE);
        }
        System.exit(0);
    }

    private ChangeFeedProcessor processor(CosmosAsyncDatabase database, String kind) {
        boolean versions = kind.equals("versions");
        ChangeFeedProcessorOptions options = new ChangeFeedProcessorOptions()
            .setLeaseAcquireInterval(Duration.ofSeconds(1)).setLeaseRenewInterval(Duration.ofSeconds(1))
            .setLeaseExpirationInterval(Duration.ofSeconds(4)).setFeedPollDelay(Duration.ofMillis(100))
            .setStartFromBeginning(!versions).setMaxItemCount(5);
        ChangeFeedProcessorBuilder builder = new ChangeFeedProcessorBuilder().hostName(name)
            .feedContainer(database.getContainer("items")).leaseContainer(database.getContainer("leases"))
            .options(options);
        if (kind.equals("plain")) {
            builder.handleChanges((List<JsonNode> changes) -> {
                StringBuilder lines = new StringBuilder();
                changes.forEach(item -> append(lines, "create", item));
                write(lines);
            });
        } else if (versions) {
            builder.handleAllVersionsAndDeletesChanges(this::writeEnvelopes);
        } else {
            builder.handleLatestVersionChanges(this::writeEnvelopes);
        }
        return builder.buildChangeFeedProcessor();
    }

    private void writeEnvelopes(List<ChangeFeedProcessorItem> changes) {
        StringBuilder lines = new StringBuilder();
        for (ChangeFeedProcessorItem change : changes) {
            ChangeFeedOperationType type = change.getChangeFeedMetaData().getOperationType();
            String kind = type == null ? "create" : type.toString().toLowerCase();
            append(lines, kind, kind.equals("delete") ? change.getPrevious() : change.getCurrent());
        }
        write(lines);
    }

    private void append(StringBuilder lines, String kind, JsonNode item) {
        lines.append(name).append('\t').append(item.get("pk").textValue()).append('\t').append(kind).append(' ')
            .append(item.get("id").textValue()).append('\n');
    }

    /** One write, so that the lines of both hosts are in the order in which they were handled. */
    private synchronized void write(StringBuilder lines) {
        try {
            log.write(lines.toString().getBytes(StandardCharsets.UTF_8));
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        }
    }
}
