"""The dashboard and the alerting rules in deploy/ use only metrics that the server has; docs/metrics.md lists all."""

import json
import re
from pathlib import Path

from exposition import Scrape

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
RULE_LINE = re.compile(r"( *)(- )?([a-zA-Z]+):(?: (.+))?$")


def metrics_in(expression: str) -> set[str]:
    return set(re.findall(r"\borrery_[a-z0-9_]+", expression))


def check_known(scrape: Scrape, expressions: list[str]) -> str:
    for expression in expressions:
        if not metrics_in(expression) and not re.match(r"up\{", expression):
            raise AssertionError(f"no metric of the server in: {expression}")
        if expression.count("(") != expression.count(")") or expression.count("{") != expression.count("}"):
            raise AssertionError(f"brackets do not match: {expression}")
        for name in metrics_in(expression):
            scrape.family_of(name)
    used = {name for expression in expressions for name in metrics_in(expression)}
    return f"{len(expressions)} expressions, {len(used)} metrics"


def check_dashboard(scrape: Scrape) -> str:
    dashboard = json.loads((DEPLOY / "grafana/orrery.json").read_text())
    panels = [panel for panel in dashboard["panels"] if panel["type"] != "row"]
    expressions = [target["expr"] for panel in panels for target in panel["targets"]]
    expressions += [variable["definition"] for variable in dashboard["templating"]["list"]
                    if variable["type"] == "query"]
    ids = [panel["id"] for panel in dashboard["panels"]]
    if len(ids) != len(set(ids)):
        raise AssertionError("two panels have the same id")
    return f"{len(panels)} panels, " + check_known(scrape, expressions)


def read_rules(text: str) -> list[dict[str, str]]:
    """The rules of a rules file. Knows the part of YAML that the file uses: one `key: value` per line."""
    rules: list[dict[str, str]] = []
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        found = RULE_LINE.fullmatch(line)
        if not found:
            raise AssertionError(f"not `key: value`: {line}")
        _, dash, key, value = found.groups()
        if dash and key == "alert":
            rules.append({})
        if rules and value:
            if value.startswith("'") != value.endswith("'") or (": " in value and not value.startswith("'")):
                raise AssertionError(f"quote this value: {line}")
            rules[-1][key] = value.strip("'")
    return rules


def check_rules(scrape: Scrape) -> str:
    text = (DEPLOY / "prometheus/alerts.yml").read_text()
    rules = read_rules(text)
    for rule in rules:
        missing = {"alert", "expr", "severity", "summary"} - rule.keys()
        if missing:
            raise AssertionError(f"{rule.get('alert')} lacks {sorted(missing)}")
    check_with_yaml(text, rules)
    return check_known(scrape, [rule["expr"] for rule in rules])


def check_with_yaml(text: str, rules: list[dict[str, str]]) -> None:
    """Where PyYAML is installed, it must read the same."""
    try:
        import yaml
    except ImportError:
        return
    read = [rule for group in yaml.safe_load(text)["groups"] for rule in group["rules"]]
    if [rule["expr"] for rule in read] != [rule["expr"] for rule in rules]:
        raise AssertionError("the rules do not read as YAML")


def check_documentation(scrape: Scrape) -> str:
    rows = re.findall(r"^\| `(orrery_\w+)` \| (\w+) \|", (ROOT / "docs/metrics.md").read_text(), re.MULTILINE)
    listed, found = dict(rows), {family.name: family.type for family in scrape.families.values()}
    if listed != found or len(rows) != len(listed):
        raise AssertionError(f"docs/metrics.md differs in {sorted(set(listed.items()) ^ set(found.items()))}")
    return f"{len(rows)} metrics"
