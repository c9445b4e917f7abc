from azure.cosmos import PartitionKey, ThroughputProperties
from azure.cosmos.exceptions import CosmosResourceNotFoundError

from support import client, database, random_id, refused, scenario


@scenario("offer.manual")
def manual():
    with database() as parent:
        proxy = parent.create_container("c", PartitionKey("/pk"), offer_throughput=600)
        before = proxy.get_throughput()
        replaced = proxy.replace_throughput(50000)
        assert replaced.offer_throughput == 50000
        assert replaced.properties["_etag"] != before.properties["_etag"]
        headers = client().client_connection.last_response_headers
        assert headers["x-ms-cosmos-min-throughput"] == "500", headers
        assert headers["x-ms-offer-replace-pending"] == "false", headers
        assert proxy.get_throughput().offer_throughput == 50000
        with refused(400, text="Highest RUs provisioned 50000"):
            proxy.replace_throughput(400)
        with refused(400, text="increments of 100"):
            proxy.replace_throughput(ThroughputProperties(offer_throughput=550))


@scenario("offer.autoscale")
def autoscale():
    with database() as parent:
        proxy = parent.create_container("c", PartitionKey("/pk"), offer_throughput=ThroughputProperties(
            auto_scale_max_throughput=4000, auto_scale_increment_percent=10))
        assert _autoscale_of(proxy) == (4000, 10)
        proxy.replace_throughput(ThroughputProperties(
            auto_scale_max_throughput=8000, auto_scale_increment_percent=20))
        assert _autoscale_of(proxy) == (8000, 20)
        with refused(400, text="increments of 1000"):
            proxy.replace_throughput(ThroughputProperties(auto_scale_max_throughput=4500))
        plain = parent.create_container("plain", PartitionKey("/pk"), offer_throughput=ThroughputProperties(
            auto_scale_max_throughput=1000))
        assert _autoscale_of(plain) == (1000, None)


def _autoscale_of(proxy):
    found = proxy.get_throughput()
    return found.auto_scale_max_throughput, found.auto_scale_increment_percent


@scenario("offer.migrate")
def migrate():
    with database() as parent:
        proxy = parent.create_container("c", PartitionKey("/pk"), offer_throughput=1500)
        proxy.replace_throughput(1500, headers={"x-ms-cosmos-migrate-offer-to-autopilot": "true"})
        assert _autoscale_of(proxy) == (2000, None)
        proxy.replace_throughput(ThroughputProperties(auto_scale_max_throughput=6000))
        proxy.replace_throughput(400, headers={"x-ms-cosmos-migrate-offer-to-manual-throughput": "true"})
        found = proxy.get_throughput()
        assert (found.offer_throughput, found.auto_scale_max_throughput) == (6000, None)


def _has_offer(proxy):
    try:
        proxy.get_throughput()
        return True
    except (CosmosResourceNotFoundError, AttributeError):
        # The SDK turns an empty list of offers into a 404/10004 of its own. Version 4.17 then tries to refresh its copy
        # of the container and fails with an AttributeError.
        return False


@scenario("offer.shared")
def shared():
    parent = client().create_database(random_id(), offer_throughput=500)
    try:
        sharing = parent.create_container("sharing", PartitionKey("/pk"))
        own = parent.create_container("own", PartitionKey("/pk"), offer_throughput=400)
        assert parent.get_throughput().offer_throughput == 500
        assert not _has_offer(sharing)
        assert own.get_throughput().offer_throughput == 400
        assert parent.replace_throughput(900).offer_throughput == 900
        assert parent.get_throughput().offer_throughput == 900
        assert own.get_throughput().offer_throughput == 400
    finally:
        client().delete_database(parent.id)
