"""OpenTelemetry's variables: off unless asked for, and refused by name where they cannot be used."""

import pytest
from hopwatch_agent.errors import SettingsError
from hopwatch_agent.settings.options import Options
from hopwatch_agent.settings.sections import settings_from
from hopwatch_agent.settings.telemetry import TelemetrySettings, telemetry_from
from hopwatch_agent.telemetry.agent_identity import Identity
from hopwatch_agent.telemetry.resource import resource_of

ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"
HTTP = "http/protobuf"


@pytest.mark.parametrize(
    ("environ", "metrics", "logs"),
    [
        ({}, None, None),
        ({ENDPOINT: ""}, None, None),
        ({ENDPOINT: "http://collector:4318"}, HTTP, HTTP),
        ({ENDPOINT: "http://collector:4317"}, "grpc", "grpc"),
        ({ENDPOINT: "http://collector:4317", "OTEL_EXPORTER_OTLP_PROTOCOL": HTTP}, HTTP, HTTP),
        ({ENDPOINT: "http://collector", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, "grpc", "grpc"),
        (
            {ENDPOINT: "http://c:4318", "OTEL_EXPORTER_OTLP_METRICS_PROTOCOL": "grpc"},
            "grpc",
            HTTP,
        ),
        ({"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": "http://c:4318/v1/metrics"}, HTTP, None),
        ({"OTEL_EXPORTER_OTLP_LOGS_ENDPOINT": "http://c:4317"}, None, "grpc"),
        ({"OTEL_METRICS_EXPORTER": "otlp"}, HTTP, None),
        ({"OTEL_LOGS_EXPORTER": "otlp"}, None, HTTP),
        ({ENDPOINT: "http://c:4318", "OTEL_METRICS_EXPORTER": "none"}, None, HTTP),
        ({ENDPOINT: "http://c:4318", "OTEL_METRICS_EXPORTER": "prometheus"}, None, HTTP),
        ({ENDPOINT: "http://c:4318", "OTEL_METRICS_EXPORTER": "prometheus,otlp"}, HTTP, HTTP),
        ({ENDPOINT: "http://c:4318", "OTEL_SDK_DISABLED": "True"}, None, None),
    ],
)
def test_what_is_pushed_and_how_follows_from_the_environment(
    environ: dict[str, str], metrics: str | None, logs: str | None
) -> None:
    told = telemetry_from(environ)
    assert (told.metrics, told.logs) == (metrics, logs)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json"),
        ("OTEL_EXPORTER_OTLP_METRICS_PROTOCOL", "thrift"),
        ("OTEL_METRICS_EXPORTER", "console"),
        ("OTEL_LOGS_EXPORTER", "prometheus"),
        ("OTEL_METRIC_EXPORT_INTERVAL", "1 s"),
        ("OTEL_METRIC_EXPORT_INTERVAL", "0"),
        ("OTEL_METRIC_EXPORT_INTERVAL", "nan"),
    ],
)
def test_what_cannot_be_used_is_refused_by_name(name: str, value: str) -> None:
    with pytest.raises(SettingsError) as refused:
        settings_from(Options(), {ENDPOINT: "http://c:4318", name: value})
    assert name in str(refused.value)
    assert repr(value) in str(refused.value)


def test_the_interval_and_the_temporality_are_everyones() -> None:
    told = telemetry_from(
        {
            "OTEL_METRIC_EXPORT_INTERVAL": "1500",
            "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE": "DELTA",
        }
    )
    assert told == TelemetrySettings(interval_seconds=1.5, differences=True)


def test_the_resource_names_the_agent_its_host_and_its_pod(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OTEL_RESOURCE_ATTRIBUTES", raising=False)
    monkeypatch.delenv("OTEL_SERVICE_NAME", raising=False)
    told = resource_of(
        Identity("web-1", "a1b2c3"),
        {"K8S_POD_NAME": "shop-7", "OTEL_RESOURCE_ATTRIBUTES_NODE_NAME": "node-2", "K8S_NAMESPACE_NAME": ""},
    ).attributes
    assert told["service.name"] == "hopwatch-agent"
    assert told["service.instance.id"] == "a1b2c3"
    assert told["host.name"] == "web-1"
    assert (told["k8s.pod.name"], told["k8s.node.name"]) == ("shop-7", "node-2")
    assert "k8s.namespace.name" not in told


@pytest.mark.parametrize(
    ("owner", "told"),
    [
        ("StatefulSet/feed", {"hopwatch.owner": "StatefulSet/feed", "k8s.statefulset.name": "feed"}),
        ("Deployment/quotes", {"hopwatch.owner": "Deployment/quotes", "k8s.deployment.name": "quotes"}),
        ("Rollout/quotes", {"hopwatch.owner": "Rollout/quotes"}),
        ("quotes", {"hopwatch.owner": "quotes"}),
        ("", {}),
    ],
)
def test_the_resource_names_every_workload_and_those_of_kubernetes_by_their_kind_too(
    monkeypatch: pytest.MonkeyPatch, owner: str, told: dict[str, str]
) -> None:
    monkeypatch.delenv("OTEL_RESOURCE_ATTRIBUTES", raising=False)
    attributes = resource_of(Identity("web-1", "a1b2c3"), {"K8S_OWNER": owner}).attributes
    assert {
        name: value for name, value in attributes.items() if name.startswith(("k8s.", "hopwatch."))
    } == told


def test_what_the_operator_says_of_the_resource_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(
        "OTEL_RESOURCE_ATTRIBUTES", "service.name=x,host.name=other,service.instance.id=i,team=t"
    )
    monkeypatch.setenv("OTEL_SERVICE_NAME", "zmq-watch")
    told = resource_of(Identity("web-1", "a1b2c3"), {}).attributes
    names = ("service.name", "host.name", "service.instance.id", "team")
    assert [told[name] for name in names] == ["zmq-watch", "other", "i", "t"]
