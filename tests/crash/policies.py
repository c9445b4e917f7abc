"""The oracle for indexing policies: changed under load, so that kills hit every step of a rebuild.

`orrery inspect` then compares the index with the items.
"""

import random
import time

from lib.client import NO_ANSWER, Client
from lib.report import expect

ETAG = {"path": '/"_etag"/?'}  # excluded in any case
POLICIES = (
    {"includedPaths": [{"path": "/*"}], "excludedPaths": [ETAG]},
    {"includedPaths": [{"path": "/n/?"}], "excludedPaths": [{"path": "/*"}, ETAG]},
    {"includedPaths": [{"path": "/*"}], "excludedPaths": [{"path": "/text/*"}, ETAG],
     "compositeIndexes": [[{"path": "/pk", "order": "ascending"},
                           {"path": "/n", "order": "descending"}]]},
    {"indexingMode": "none", "automatic": False},
)


class PolicyWorker:
    """Changes the policy of one container now and then."""

    def __init__(self, link: str, definition: dict):
        self.link = link
        self.definition = definition
        self.possible = [POLICIES[0]]  # two after a change without an answer
        self.acknowledged = 0

    def run(self, client: Client, rng: random.Random) -> None:
        """Sends requests until the server is killed."""
        try:
            while True:
                time.sleep(rng.uniform(0, 0.1))
                self.change(client, rng.choice(POLICIES))
        except NO_ANSWER:
            return

    def change(self, client: Client, policy: dict) -> None:
        self.possible.append(policy)
        answer = client.request("PUT", self.link, {**self.definition, "indexingPolicy": policy})
        expect(answer.status == 200, f"replace {self.link}: {answer.status} {answer.body[:300]!r}")
        self.possible = [policy]
        self.acknowledged += 1

    def verify(self, client: Client) -> None:
        answer = client.request("GET", self.link)
        expect(answer.status == 200, f"read {self.link}: {answer.status}")
        found = answer.json()["indexingPolicy"]
        fitting = [policy for policy in self.possible
                   if all(found[name] == value for name, value in policy.items())]
        expect(fitting, f"{self.link} has the policy {found}, not one of {self.possible}")
        self.possible = fitting
