"""Values that are wrong are refused, and named."""

import re

import pytest
from charts import CHART, VERSIONS, helm

WRONG = [
    ("injector.replica=2", "replica"),
    ("agnet.port=1", "agnet"),
    ("agent.port=70000", "agent.port"),
    ("agent.port=http", "agent.port"),
    ("agent.openToOthers=all", "agent.openToOthers"),
    ("agent.sidecar=true", "agent.sidecar"),
    ("agent.user=0", "agent.user"),
    ("agent.journalSize=64MB", "agent.journalSize"),
    ("agent.resources.limits.memory=much", "agent.resources.limits.memory"),
    ("agent.resources.request.memory=1Gi", "request"),
    ("agent.env[0].value=x", "agent.env.0"),
    ("agent.otlpEndpoint=collector:4317", "agent.otlpEndpoint"),
    ("application.sequence=stamps", "application.sequence"),
    ("images.tag=a b", "images.tag"),
    ("images.pullPolicy=Sometimes", "images.pullPolicy"),
    ("landing.uri=/var/landed", "landing.uri"),
    ("landing.uri=s3a://events", "landing.uri"),
    ("images.agent=hopwatch/agent:1.2", "images.agent"),
    ("images.architectures={x86_64}", "images.architectures"),
    ("fullnameOverride=1a.b", "fullnameOverride"),
    ("agent.address=nonsense here", "agent.address"),
    ("agent.env[0].name=HOPWATCH_AGENT_KEEP_BYTE,agent.env[0].value=1", "agent.env.0.name"),
    ("application.env[0].name=PYTHONPATH,application.env[0].value=/src", "application.env.0.name"),
    ("injector.timeoutSeconds=31", "injector.timeoutSeconds"),
    ("injector.certificates.source=secret", "injector.certificates"),
    ("injector.certificates.caBundle=-----BEGIN", "injector.certificates.caBundle"),
    ("analysis.kind=Job", "analysis.kind"),
    ("analysis.last=yesterday", "analysis.last"),
    ("analysis.schedule=hourly", "analysis.schedule"),
    ("analysis.driverMemory=2Gi", "analysis.driverMemory"),
    ("monitoring.podMonitor.interval=30", "monitoring.podMonitor.interval"),
    ("monitoring.grafana.enabled=true", "grafana"),
    # these fit the schema, and not each other
    ("analysis.kind=CronJob", "set landing.uri or landing.claim"),
    (
        "analysis.kind=SparkApplication,landing.uri=s3://events",
        "analysis.namespace: a Spark driver may change",
    ),
    ("monitoring.podMonitor.enabled=true", "set agent.openToOthers to metrics, or agent.tokenSecret"),
]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(("setting", "named"), WRONG)
def test_a_wrong_value_is_refused_by_name(version: str, setting: str, named: str) -> None:
    done = helm(version, "template", "hw", CHART, "--set", setting)
    assert done.returncode != 0
    # one version says agent.port, the other /agent/port
    said = re.sub(r"(?<=[\w'])/(?=\w)|'/", ".", done.stderr)
    assert named in said, done.stderr
