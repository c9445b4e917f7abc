import com.azure.cosmos.CosmosContainer;
import com.azure.cosmos.CosmosDatabase;
import com.azure.cosmos.models.ThroughputProperties;
import com.azure.cosmos.models.ThroughputResponse;

/** Provisioned throughput and its changes. This SDK has no call that migrates an offer to its other mode. */
final class Offers {
    private Offers() {}

    static void register() {
        Suite.scenarioInDatabase("offer.manual", Offers::manual);
        Suite.scenarioInDatabase("offer.autoscale", Offers::autoscale);
        Suite.scenario("offer.shared", Offers::shared);
    }

    private static CosmosContainer create(CosmosDatabase database, String id, ThroughputProperties throughput) {
        database.createContainer(id, "/pk", throughput);
        return database.getContainer(id);
    }

    private static int manualOf(CosmosContainer container) {
        return container.readThroughput().getProperties().getManualThroughput();
    }

    private static void manual(CosmosDatabase database) throws Exception {
        CosmosContainer container = create(database, "c", ThroughputProperties.createManualThroughput(600));
        ThroughputResponse before = container.readThroughput();
        Suite.expect("minimum", before.getMinThroughput(), 400);
        Suite.expect("pending", before.isReplacePending(), false);
        ThroughputResponse after = container.replaceThroughput(ThroughputProperties.createManualThroughput(50000));
        Suite.expect("replaced", after.getProperties().getManualThroughput(), 50000);
        Suite.expect("minimum", after.getMinThroughput(), 500);
        Suite.expect("pending", after.isReplacePending(), false);
        Suite.expect("same etag", after.getProperties().getETag().equals(before.getProperties().getETag()), false);
        Suite.expect("read", manualOf(container), 50000);
        for (int wrong : new int[] {400, 550}) {
            Suite.refused(400, () -> container.replaceThroughput(ThroughputProperties.createManualThroughput(wrong)));
        }
        Suite.refused(400, () -> container.replaceThroughput(ThroughputProperties.createAutoscaledThroughput(5000)));
    }

    private static void autoscale(CosmosDatabase database) throws Exception {
        CosmosContainer container = create(database, "c", ThroughputProperties.createAutoscaledThroughput(4000));
        ThroughputResponse read = container.readThroughput();
        Suite.expect("maximum", read.getProperties().getAutoscaleMaxThroughput(), 4000);
        Suite.expect("minimum", read.getMinThroughput(), 1000);
        ThroughputResponse after = container.replaceThroughput(ThroughputProperties.createAutoscaledThroughput(8000));
        Suite.expect("replaced", after.getProperties().getAutoscaleMaxThroughput(), 8000);
        Suite.expect("read", container.readThroughput().getProperties().getAutoscaleMaxThroughput(), 8000);
        Suite.refused(400, () -> container.replaceThroughput(ThroughputProperties.createAutoscaledThroughput(4500)));
        Suite.refused(400, () -> container.replaceThroughput(ThroughputProperties.createManualThroughput(400)));
    }

    private static void shared() throws Exception {
        String id = Suite.randomId("java");
        Suite.client.createDatabase(id, ThroughputProperties.createManualThroughput(500));
        CosmosDatabase database = Suite.client.getDatabase(id);
        try {
            database.createContainer("sharing", "/pk");
            CosmosContainer own = create(database, "own", ThroughputProperties.createManualThroughput(400));
            Suite.expect("database", database.readThroughput().getProperties().getManualThroughput(), 500);
            Suite.refused(400, () -> database.getContainer("sharing").readThroughput());
            Suite.expect("own", manualOf(own), 400);
            database.replaceThroughput(ThroughputProperties.createManualThroughput(900));
            Suite.expect("database", database.readThroughput().getProperties().getManualThroughput(), 900);
            Suite.expect("own", manualOf(own), 400);
        } finally {
            database.delete();
        }
    }
}
