"""What a query asks Prometheus for: which labels of which metric."""

import re
from dataclasses import dataclass

OF_THE_SCRAPE = frozenset({"job", "instance"})
"""Labels that no agent tells: Prometheus adds them."""
_METRIC = re.compile(r"([a-z]+(?:_[a-z]+)+)(?![a-z_(])(?:\{([^}]*)\})?")
"""What is followed by ( is a function."""
_GROUPED = re.compile(r"\b(by|without) ?\(([^)]*)\)")
_NO_METRIC = re.compile(r"""\b(?:by|without|on) ?\([^)]*\)|"[^"]*"|\[[^]]*\]|\$\w+""")

Asked = set[tuple[str, str]]


@dataclass(frozen=True)
class Query:
    """An expression, and the labels of its result that are shown."""

    expression: str
    shown: frozenset[str]

    def asked(self) -> Asked:
        """Each metric and a label of it that has to be there; "" where there need not be any."""
        metrics = list(_METRIC.finditer(_NO_METRIC.sub(_blank, self.expression)))
        asked: Asked = {(metric[1], "") for metric in metrics}
        for metric in metrics:
            asked |= {(metric[1], label) for label in re.findall(r"(\w+) *[=!]", metric[2] or "")}
        for grouped in _GROUPED.finditer(self.expression):
            within = next(metric[1] for metric in metrics if metric.start() > grouped.start())
            asked |= {(within, label) for label in _listed(grouped[2])}
        # a result has the labels of its left side
        asked |= {(metrics[0][1], label) for label in self.shown} if metrics else set()
        return {(metric, label) for metric, label in asked if label not in OF_THE_SCRAPE}

    def left_out(self) -> frozenset[str]:
        """Labels that are shown, and that the result does not have."""
        kept = [_listed(grouped[2]) for grouped in _GROUPED.finditer(self.expression) if grouped[1] == "by"]
        return self.shown - frozenset.intersection(self.shown, *kept)


def _listed(labels: str) -> frozenset[str]:
    return frozenset(label.strip() for label in labels.split(","))


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])
