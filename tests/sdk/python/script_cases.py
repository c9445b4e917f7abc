"""Runs the cases of tests/scripts/cases (format: README.md there), one scenario per file."""

import json
import os
from pathlib import Path
from urllib.parse import unquote

from azure.cosmos import PartitionKey
from azure.cosmos.documents import TriggerOperation, TriggerType
from azure.cosmos.exceptions import CosmosHttpResponseError

from support import database, scenario, user_part

FOLDER = Path(os.environ["ORRERY_SCRIPTS"])
LOG_HEADER = "x-ms-documentdb-script-log-results"


def register(path):
    cases = json.loads(path.read_text(encoding="utf-8"))

    @scenario(f"script.{path.stem}")
    def run():
        with database() as parent:
            for number, case in enumerate(cases):
                Case(case, parent.create_container(f"case-{number}", PartitionKey(key_path(case)))).run()


def key_path(case):
    return case.get("key", "/pk")


class Case:
    def __init__(self, case, proxy):
        self.case, self.proxy = case, proxy

    def run(self):
        self.store_scripts()
        stored = [{"id": f"n{n}", "pk": "a", "n": n} for n in range(1, self.case.get("numbered", 0) + 1)]
        stored += self.case.get("items", [])
        for item in stored:
            self.proxy.create_item(item)
        for number, step in enumerate(self.case["steps"], 1):
            where = f"{self.case['name']}, step {number}"
            try:
                self.check_step(step)
                # A step without `stored` must leave the items unchanged, especially if it fails.
                stored = step.get("stored", stored)
                check_alike(self.ordered(self.proxy.read_all_items()), self.ordered(stored), "stored")
            except (AssertionError, CosmosHttpResponseError) as error:
                raise AssertionError(f"{where}: {error}") from error

    def store_scripts(self):
        scripts = self.proxy.scripts
        for name in self.case.get("procedures", []):
            scripts.create_stored_procedure({"id": name, "body": self.text(name)})
        for name in self.case.get("udfs", []):
            scripts.create_user_defined_function({"id": name, "body": self.text(name)})
        for kind, triggers in ((TriggerType.Pre, "pre_triggers"), (TriggerType.Post, "post_triggers")):
            for name, operation in self.case.get(triggers, {}).items():
                scripts.create_trigger({"id": name, "body": self.text(name), "triggerType": kind,
                                        "triggerOperation": getattr(TriggerOperation, operation)})

    def text(self, name):
        return self.case.get("bodies", {}).get(name) or (FOLDER / f"{name}.js").read_text(encoding="utf-8")

    def check_step(self, step):
        wanted = step.get("error")
        try:
            answer = self.answer_to(step)
        except CosmosHttpResponseError as error:
            assert wanted, f"{error}"
            assert error.status_code == wanted["status"], f"wanted {wanted}, got {error}"
            assert wanted.get("sub_status") in (None, error.sub_status or 0), \
                f"wanted {wanted}, got sub-status {error.sub_status}"
            assert wanted.get("text", "") in str(error), f"wanted {wanted}, got {error}"
            return
        assert not wanted, f"wanted {wanted}, got {answer}"
        if step["do"] == "query":
            check_alike(sorted(answer, key=json.dumps), sorted(step["answer"], key=json.dumps), "rows")
        elif "answer" in step:
            check_alike(answer, step["answer"], "answer")

    def answer_to(self, step):
        if step["do"] == "execute":
            return self.execute(step)
        if step["do"] == "query":
            where = {"partition_key": step["key"]} if "key" in step else {"enable_cross_partition_query": True}
            return list(self.proxy.query_items(step["query"], **where))
        item = self.with_stored(step["item"])
        options = {f"{when}_trigger_include": step[when] for when in ("pre", "post") if when in step}
        if step["do"] == "replace":
            return self.proxy.replace_item(item["id"], item, **options)
        if step["do"] == "delete":
            return self.proxy.delete_item(item["id"], item[key_path(self.case)[1:]], **options)
        return {"create": self.proxy.create_item, "upsert": self.proxy.upsert_item}[step["do"]](item, **options)

    def execute(self, step):
        answers = []
        options = {"enable_script_logging": True} if isinstance(step.get("log"), str) else {}
        body = self.proxy.scripts.execute_stored_procedure(
            step["script"], partition_key=step["key"], params=self.with_stored(step["arguments"]),
            raw_response_hook=lambda answer: answers.append(answer.http_response.headers), **options)
        if "log" in step:
            log = answers[-1].get(LOG_HEADER)
            assert (log if log is None else unquote(log)) == step["log"], f"log: {log}"
        return body

    def with_stored(self, value):
        """Replaces {"the stored item": id} by that item with all its system properties."""
        if isinstance(value, list):
            return [self.with_stored(each) for each in value]
        if not isinstance(value, dict) or "the stored item" not in value:
            return value
        return next(item for item in self.proxy.read_all_items() if item["id"] == value["the stored item"])

    def ordered(self, items):
        return sorted(items, key=lambda item: (item["id"], json.dumps(item[key_path(self.case)[1:]])))


def check_alike(got, wanted, what):
    got = masked(got, wanted)
    assert json.dumps(got, sort_keys=True) == json.dumps(wanted, sort_keys=True), f"{what}: wanted {wanted}, got {got}"


def masked(got, wanted):
    """The received value without system properties, and with "*" wherever "*" is expected."""
    if wanted == "*":
        return "*"
    if isinstance(got, list):
        more = wanted if isinstance(wanted, list) else []
        return [masked(each, more[n] if n < len(more) else None) for n, each in enumerate(got)]
    if isinstance(got, dict):
        more = wanted if isinstance(wanted, dict) else {}
        return {name: masked(value, more.get(name)) for name, value in user_part(got).items()}
    return got


for file in sorted((FOLDER / "cases").glob("*.json")):
    register(file)
