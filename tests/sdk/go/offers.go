package main

import (
	"context"
	"errors"
	"net/http"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

var offerScenarios = []scenario{
	{"offer.manual", inDatabase(offerManual)},
	{"offer.autoscale", inDatabase(offerAutoscale)},
	{"offer.migrate", inDatabase(offerMigrate)},
	{"offer.shared", offerShared},
}

func provisioned(ctx context.Context, database *azcosmos.DatabaseClient, id string,
	throughput azcosmos.ThroughputProperties) (*azcosmos.ContainerClient, error) {
	container, _, err := newContainer(ctx, database, id,
		&azcosmos.CreateContainerOptions{ThroughputProperties: &throughput}, "/pk")
	return container, err
}

func expectManual(answer azcosmos.ThroughputResponse, err error, want int32) error {
	if err != nil {
		return err
	}
	got, manual := answer.ThroughputProperties.ManualThroughput()
	_, autoscale := answer.ThroughputProperties.AutoscaleMaxThroughput()
	return first(expect("manual", manual, true), expect("autoscale", autoscale, false), expect("throughput", got, want))
}

func expectAutoscale(answer azcosmos.ThroughputResponse, err error, want int32) error {
	if err != nil {
		return err
	}
	got, autoscale := answer.ThroughputProperties.AutoscaleMaxThroughput()
	return first(expect("autoscale", autoscale, true), expect("maximum", got, want))
}

func offerManual(ctx context.Context, database *azcosmos.DatabaseClient) error {
	container, err := provisioned(ctx, database, "c", azcosmos.NewManualThroughputProperties(600))
	if err != nil {
		return err
	}
	before, err := container.ReadThroughput(ctx, nil)
	if err := expectManual(before, err, 600); err != nil {
		return err
	}
	replaced, err := container.ReplaceThroughput(ctx, azcosmos.NewManualThroughputProperties(50000), nil)
	if err := expectManual(replaced, err, 50000); err != nil {
		return err
	}
	if replaced.MinThroughput == nil {
		return errors.New("no minimum")
	}
	read, err := container.ReadThroughput(ctx, nil)
	if err := first(
		expect("minimum", *replaced.MinThroughput, int32(500)),
		expect("pending", replaced.IsReplacePending, false),
		expect("same etag", replaced.ETag == before.ETag, false),
		expectManual(read, err, 50000)); err != nil {
		return err
	}
	_, low := container.ReplaceThroughput(ctx, azcosmos.NewManualThroughputProperties(400), nil)
	_, odd := container.ReplaceThroughput(ctx, azcosmos.NewManualThroughputProperties(550), nil)
	_, mode := container.ReplaceThroughput(ctx, azcosmos.NewAutoscaleThroughputProperties(5000), nil)
	return first(refused(low, 400), refused(odd, 400), refused(mode, 400))
}

func offerAutoscale(ctx context.Context, database *azcosmos.DatabaseClient) error {
	container, err := provisioned(ctx, database, "c", azcosmos.NewAutoscaleThroughputPropertiesWithIncrement(4000, 10))
	if err != nil {
		return err
	}
	read, err := container.ReadThroughput(ctx, nil)
	if err := expectAutoscale(read, err, 4000); err != nil {
		return err
	}
	increment, _ := read.ThroughputProperties.AutoscaleIncrement()
	replaced, err := container.ReplaceThroughput(ctx, azcosmos.NewAutoscaleThroughputProperties(8000), nil)
	if err := first(expect("increment", increment, int32(10)), expectAutoscale(replaced, err, 8000)); err != nil {
		return err
	}
	read, err = container.ReadThroughput(ctx, nil)
	if err := expectAutoscale(read, err, 8000); err != nil {
		return err
	}
	_, odd := container.ReplaceThroughput(ctx, azcosmos.NewAutoscaleThroughputProperties(4500), nil)
	_, mode := container.ReplaceThroughput(ctx, azcosmos.NewManualThroughputProperties(400), nil)
	return first(refused(odd, 400), refused(mode, 400))
}

// migrating adds the header that the SDK does not know to every request of the context.
func migrating(ctx context.Context, mode string) context.Context {
	return policy.WithHTTPHeader(ctx, http.Header{"X-Ms-Cosmos-Migrate-Offer-To-" + mode: []string{"true"}})
}

func offerMigrate(ctx context.Context, database *azcosmos.DatabaseClient) error {
	container, err := provisioned(ctx, database, "c", azcosmos.NewManualThroughputProperties(1500))
	if err != nil {
		return err
	}
	// What the SDK sends along is ignored: the server chooses the amount.
	autoscale, err := container.ReplaceThroughput(migrating(ctx, "Autopilot"), azcosmos.NewManualThroughputProperties(400), nil)
	if err := expectAutoscale(autoscale, err, 2000); err != nil {
		return err
	}
	larger, err := container.ReplaceThroughput(ctx, azcosmos.NewAutoscaleThroughputProperties(6000), nil)
	if err := expectAutoscale(larger, err, 6000); err != nil {
		return err
	}
	manual, err := container.ReplaceThroughput(migrating(ctx, "Manual-Throughput"), azcosmos.NewManualThroughputProperties(400), nil)
	return expectManual(manual, err, 6000)
}

func offerShared(ctx context.Context) (err error) {
	id := randomID("go")
	throughput := azcosmos.NewManualThroughputProperties(500)
	if _, err = client.CreateDatabase(ctx, azcosmos.DatabaseProperties{ID: id},
		&azcosmos.CreateDatabaseOptions{ThroughputProperties: &throughput}); err != nil {
		return err
	}
	database, err := client.NewDatabase(id)
	if err != nil {
		return err
	}
	defer func() {
		_, deleted := database.Delete(ctx, nil)
		err = errors.Join(err, deleted)
	}()
	sharing, _, err := newContainer(ctx, database, "sharing", nil, "/pk")
	if err != nil {
		return err
	}
	own, err := provisioned(ctx, database, "own", azcosmos.NewManualThroughputProperties(400))
	if err != nil {
		return err
	}
	before, err := database.ReadThroughput(ctx, nil)
	if err := expectManual(before, err, 500); err != nil {
		return err
	}
	_, none := sharing.ReadThroughput(ctx, nil)
	replaced, err := database.ReplaceThroughput(ctx, azcosmos.NewManualThroughputProperties(900), nil)
	if err := first(refused(none, 404), expectManual(replaced, err, 900)); err != nil {
		return err
	}
	read, err := own.ReadThroughput(ctx, nil)
	return expectManual(read, err, 400)
}
