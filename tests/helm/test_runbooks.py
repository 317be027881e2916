"""Each alert has a runbook and each runbook an alert, and a rule leads to its runbook wherever that is to be read."""

import re

import pytest
import yaml
from charts import CHART, VERSIONS, objects, only, rendered
from documents import DOCS, text_of

RULES = yaml.safe_load((CHART / "files" / "hopwatch.rules.yaml").read_text())
ALERTS = [rule["alert"] for group in RULES["groups"] for rule in group["rules"]]
PANELS = {
    panel["title"]
    for panel in yaml.safe_load((CHART / "files" / "dashboard.json").read_text())["panels"]
    if panel["type"] != "row"
}
PARTS = ["What it means", "Look first", "What to do", "When it is a false alarm"]


def runbook_urls(rules: dict) -> dict[str, str]:
    found = [rule for group in rules["groups"] for rule in group["rules"]]
    return {rule["alert"]: rule["annotations"]["runbook_url"] for rule in found}


def test_each_alert_has_a_runbook_and_each_runbook_an_alert() -> None:
    pages = {path.stem for path in (DOCS / "runbooks").glob("*.md")} - {"index"}
    assert pages == set(ALERTS)
    assert re.findall(r"^\| \[(\w+)\]\(\1\.md\)", text_of("runbooks/index.md"), re.MULTILINE) == ALERTS


def test_a_rule_by_itself_leads_to_the_runbook_in_the_repository() -> None:
    assert runbook_urls(RULES) == {alert: f"docs/runbooks/{alert}.md" for alert in ALERTS}


@pytest.mark.parametrize("version", VERSIONS)
def test_a_rule_of_the_chart_leads_to_where_the_user_has_the_runbooks(version: str) -> None:
    url = "https://docs.example/runbooks/{alert}.html"
    values = ["monitoring.prometheusRule.enabled=true", f"monitoring.prometheusRule.runbookUrl={url}"]
    # braces are lists to helm
    text = rendered(
        version,
        CHART,
        *(f"--set={value.replace('{', chr(92) + '{').replace('}', chr(92) + '}')}" for value in values),
    )
    rules = only(objects(text), "PrometheusRule")["spec"]
    assert runbook_urls(rules) == {alert: url.format(alert=alert) for alert in ALERTS}


@pytest.mark.parametrize("version", VERSIONS)
def test_without_that_it_stays_a_path_in_the_repository(version: str) -> None:
    text = rendered(version, CHART, "--set", "monitoring.prometheusRule.enabled=true")
    assert only(objects(text), "PrometheusRule")["spec"] == RULES


@pytest.mark.parametrize("alert", ALERTS)
def test_a_runbook_says_what_it_means_where_to_look_and_what_to_do(alert: str) -> None:
    text = text_of(f"runbooks/{alert}.md")
    assert text.startswith(f"# {alert}\n")
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == PARTS
    panels = set(re.findall(r"panel \*\*(.*?)\*\*", text))
    assert panels <= PANELS


def test_every_panel_is_looked_at_by_some_runbook() -> None:
    texts = "".join(text_of(f"runbooks/{alert}.md") for alert in ALERTS)
    assert {panel for panel in PANELS if f"panel **{panel}**" not in texts} == set()
