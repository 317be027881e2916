"""A plugin that writes down what real analyses found, for the pages of causes to quote.

    RECORD_INCIDENTS=incidents.jsonl pytest -p record_incidents tests/scenarios

Of each incident a line: its record, as tests/docs/incidents has them.
"""

import json
import os
import re
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from hopwatch_analysis import job
from hopwatch_analysis.report.records import Analysis

MARK = re.compile(r"case\d+\.")
"""What scenarios put before each name."""


def pytest_configure(config: pytest.Config) -> None:
    told: Callable[..., Any] = job.report

    def noting(analysis: Analysis, *more: Any) -> Any:
        lines = [json.dumps(asdict(each), default=str, ensure_ascii=False) for each in analysis.incidents]
        with Path(os.environ["RECORD_INCIDENTS"]).open("a") as file:
            file.writelines(MARK.sub("", line) + "\n" for line in lines)
        return told(analysis, *more)

    job.report = noting  # type: ignore[assignment]
