/** The smoke suite with the Java SDK; ../scenarios.md describes the scenarios. */
public final class Main {
    private Main() {}

    public static void main(String[] arguments) {
        Resources.register();
        Offers.register();
        Items.register();
        Batches.register();
        Changes.register();
        HandOver.register();
        Queries.register();
        Sessions.register();
        Scripts.register();
        ScriptCases.register();
        Access.register();
        Throttling.register();
        System.exit(Suite.run());
    }
}
