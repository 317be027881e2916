"""What is written down twice is the same, and what is written down of the chart is true."""

import re
import subprocess
from pathlib import Path

import pytest
from chart_values import rows
from charts import CHART, REPOSITORY, VALUES

RENDERED = REPOSITORY / "helm" / "rendered"


def test_the_readme_has_every_value_with_its_default_and_meaning() -> None:
    told = (CHART / "README.md").read_text().splitlines()
    table = [line for line in told[told.index("## Values") :] if line.startswith("| `")]
    assert table == rows(), "helm/hopwatch/README.md, 'Values', should have:\n" + "\n".join(rows())


def test_the_alert_rules_are_those_of_the_agent() -> None:
    name = "hopwatch.rules.yaml"
    assert (CHART / "files" / name).read_text() == (REPOSITORY / "agent" / "prometheus" / name).read_text()


def test_the_rendered_examples_are_what_the_chart_comes_to(tmp_path: Path) -> None:
    if not (REPOSITORY / ".tools" / "helm" / "4" / "helm").exists():
        pytest.skip("no helm: scripts/test fetches it")
    subprocess.run([REPOSITORY / "scripts" / "render-chart", tmp_path], check=True)
    assert {file.stem for file in RENDERED.iterdir()} == set(VALUES)
    for file in RENDERED.iterdir():
        assert (tmp_path / file.name).read_text() == file.read_text(), (
            f"{file.name}: run scripts/render-chart"
        )


def test_the_spark_operator_is_told_the_version_of_the_image() -> None:
    told = re.findall(
        r"^sparkVersion: (.*)", (CHART / "templates/analysis/_analysis.tpl").read_text(), re.MULTILINE
    )
    pinned = re.findall(r"^pyspark==(.*)", (REPOSITORY / "images/constraints.txt").read_text(), re.MULTILINE)
    assert told == pinned


def test_the_versions_agree() -> None:
    told = (CHART / "Chart.yaml").read_text()
    version = re.findall(r'^version = "(.*)"', (REPOSITORY / "pyproject.toml").read_text(), re.MULTILINE)[0]
    assert re.findall(r"^appVersion: (.*)", told, re.MULTILINE) == [version]
    assert (
        f"hopwatch-{re.findall(r'^version: (.*)', told, re.MULTILINE)[0]}.tgz"
        in (CHART / "README.md").read_text()
    )
