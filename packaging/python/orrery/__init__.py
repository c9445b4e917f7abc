"""Orrery, a document database with the API of Azure Cosmos DB for NoSQL, for tests:

    import orrery

    with orrery.server() as server:
        client = CosmosClient(server.endpoint, server.key)
"""

from orrery._server import EMULATOR_KEY, Server, ServerError, program, server

__all__ = ["EMULATOR_KEY", "Server", "ServerError", "program", "server"]
