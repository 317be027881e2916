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
    ("agent.resources.limits.memry=1Gi", "memry"),
    ("agent.env[0].value=x", "agent.env.0"),
    ("agent.env[0].name=1=b", "agent.env.0.name"),
    ("agent.env[0].name=A,agent.env[0].valueFrom.foo=bar", "foo"),
    ("agent.address=127.0.0.1", "agent.address"),
    ("agent.port=443", "agent.port"),
    ("injector.port=80", "injector.port"),
    ("injector.excludedNamespaces={Foo Bar}", "injector.excludedNamespaces.0"),
    ("images.registry=https://registry.example", "images.registry"),
    ("analysis.master=k8s://https://cluster", "analysis.master"),
    ("agent.otlpEndpoint=collector:4317", "agent.otlpEndpoint"),
    ("agent.report=nowhere://", "agent.report"),
    ("agent.report=s3://key:secret@events/reports", "agent.report"),
    ("application.sequence=stamps", "application.sequence"),
    ("images.tag=a b", "images.tag"),
    ("images.pullPolicy=Sometimes", "images.pullPolicy"),
    ("landing.uri=/var/landed", "landing.uri"),
    ("landing.uri=s3a://events", "landing.uri"),
    ("landing.uri=hdfs://namenode/events", "landing.uri"),
    ("landing.uri=s3://KEY:SECRET@events", "landing.uri"),
    ("landing.uri=s3://events?secret_key=SECRET", "landing.uri"),
    ("landing.uri=abfs://events:SECRET@account.example", "landing.uri"),
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
    (
        "monitoring.prometheusRule.runbookUrl=https://docs.example/runbooks",
        "monitoring.prometheusRule.runbookUrl",
    ),
    # these fit the schema, and not each other
    ("analysis.kind=CronJob", "set landing.uri or landing.claim"),
    (
        "analysis.kind=SparkApplication,landing.uri=s3://events",
        "analysis.namespace: a Spark driver may change",
    ),
    (
        "agent.resources.requests.memory=512Mi",
        "agent.resources: requests.memory is 512Mi, more than limits.memory, which is 384Mi",
    ),
    (
        "injector.enabled=false,landing.uri=s3://events,analysis.kind=CronJob,analysis.resources.limits.cpu=500m",
        "analysis.resources: requests.cpu is 1, more than limits.cpu, which is 500m",
    ),
    ("fullnameOverride=2fast", "fullnameOverride"),
    ("agent.env[0].name=HOPWATCH_AGENT_LISTEN,agent.env[0].value=0.0.0.0:9000", "agent.env.0.name"),
    ("agent.env[0].name=HOPWATCH_DIR,agent.env[0].value=/x", "agent.env.0.name"),
    ("application.env[0].name=HOPWATCH_DIR,application.env[0].value=/x", "application.env.0.name"),
    (
        "landing.uri=s3://events,analysis.kind=CronJob,analysis.driverMemory=8g",
        "analysis.driverMemory: 8g is more than analysis.resources.limits.memory, which is 4Gi",
    ),
    (
        "injector.certificates.source=secret,injector.certificates.secret=x,injector.certificates.caBundle=QQ==",
        "injector.certificates.caBundle: it is no certificate",
    ),
    ("monitoring.podMonitor.enabled=true", "set agent.openToOthers to metrics, or agent.tokenSecret"),
]


@pytest.mark.parametrize(
    "version",
    [
        pytest.param("3", marks=pytest.mark.extended("the older helm says the same, in as much time again")),
        "4",
    ],
)
@pytest.mark.parametrize(("setting", "named"), WRONG)
def test_a_wrong_value_is_refused_by_name(version: str, setting: str, named: str) -> None:
    done = helm(version, "template", "hw", CHART, "--set", setting)
    assert done.returncode != 0
    # one version says agent.port, the other /agent/port
    assert named in with_dots(done.stderr), done.stderr


def with_dots(said: str) -> str:
    return re.sub(r"(?<=[\w'])/(?=\w)|'/", ".", said)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_native_sidecar_is_refused_where_it_would_never_end(version: str) -> None:
    asking = ("--set", "agent.sidecar=native", "--kube-version", "1.28")
    done = helm(version, "template", "hw", CHART, *asking)
    assert done.returncode != 0
    assert "agent.sidecar" in done.stderr


@pytest.mark.parametrize("version", VERSIONS)
def test_a_release_after_whom_no_service_can_be_called_is_refused(version: str) -> None:
    done = helm(version, "template", "2hw", CHART)
    assert done.returncode != 0
    assert "fullnameOverride: the name of a Service begins with a letter" in done.stderr
