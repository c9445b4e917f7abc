"""Refer to what many share and what changes often: stocks in the portfolios of many people."""

from lesson import Lesson

SYMBOLS = ["zaza", "xcxc", "acme", "hooli", "initech", "umbra", "tyrell", "wonka", "stark", "wayne"]
STOCKS = {str(n): {"id": str(n), "symbol": symbol, "open": 1, "high": 2, "low": 0.5, "vol": 11970000,
                   "mkt-cap": 42000000, "pe": 5.89} for n, symbol in enumerate(SYMBOLS, 1)}
PEOPLE = 200


def holdings(person: int) -> list[str]:
    """Everybody has three stocks."""
    return [str((person * 3 + step) % len(SYMBOLS) + 1) for step in range(3)]


with Lesson("refer") as lesson:
    stocks = lesson.container("stocks", "/id")
    for stock in STOCKS.values():
        stocks.create_item(stock)
    embedded, referring = lesson.container("embedded", "/id"), lesson.container("referring", "/id")
    for person in range(PEOPLE):
        name = {"id": str(person), "firstName": "Person", "lastName": str(person)}
        embedded.create_item(name | {"holdings": [
            {"numberHeld": 100, "stock": {key: STOCKS[stock][key] for key in ("symbol", "open", "high", "low")}}
            for stock in holdings(person)]})
        referring.create_item(name | {"holdings": [{"numberHeld": 100, "stockId": stock}
                                                   for stock in holdings(person)]})

    with lesson.step("embedded: read a portfolio with prices") as read_embedded:
        portfolio = embedded.read_item("7", "7")
    with lesson.step("embedded: zaza trades at a new high") as tick_embedded:
        holders = list(embedded.query_items(
            "SELECT VALUE p FROM p JOIN h IN p.holdings WHERE h.stock.symbol = 'zaza'",
            enable_cross_partition_query=True))
        for person in holders:
            for holding in person["holdings"]:
                if holding["stock"]["symbol"] == "zaza":
                    holding["stock"]["high"] = 2.5
            embedded.replace_item(person["id"], person)

    with lesson.step("referring: read a portfolio with prices") as read_referring:
        portfolio = referring.read_item("7", "7")
        ids = [holding["stockId"] for holding in portfolio["holdings"]]
        prices = list(stocks.query_items(
            "SELECT * FROM s WHERE ARRAY_CONTAINS(@ids, s.id)", parameters=[{"name": "@ids", "value": ids}],
            enable_cross_partition_query=True))
    with lesson.step("referring: zaza trades at a new high") as tick_referring:
        stocks.patch_item("1", "1", [{"op": "set", "path": "/high", "value": 2.5}])

    assert len(holders) == PEOPLE * 3 // len(SYMBOLS) and len(prices) == 3
    assert read_embedded.requests == 1 and tick_embedded.requests > len(holders)
    assert tick_referring.requests == 1
    assert read_embedded.charge < read_referring.charge and tick_referring.charge * 20 < tick_embedded.charge
