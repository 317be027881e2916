"""Values that are right, and odd: what is made of them is what was meant."""

import json
from pathlib import Path

import pytest
from charts import (
    CHART,
    VALUES,
    VERSIONS,
    Json,
    fragment_in,
    helm,
    objects,
    only,
    pods_of,
    rendered,
)
from crds import is_of_others
from kubernetes_schemas import require_valid

NUMBERS = {
    "images": {"pullSecrets": ["123"]},
    "landing": {"claim": "2024", "secret": "1e3"},
    "agent": {"tokenSecret": "1234", "tlsSecret": "0x10"},
    "injector": {
        "priorityClassName": "7",
        "certificates": {
            "source": "secret",
            "secret": "99",
            "caBundle": "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCg==",
        },
    },
    "analysis": {"kind": "CronJob", "reports": {"storageClass": "1e3"}},
}
"""Names that YAML takes for numbers."""
CLUSTER = "1.32"


def made_of(values: Json, folder: Path, version: str = "4", release: str = "hw") -> list[Json]:
    file = folder / "values.json"
    file.write_text(json.dumps(values))
    place = ["--namespace", "watch", "--kube-version", CLUSTER, "--values", file]
    done = helm(version, "template", release, CHART, *place)
    assert done.returncode == 0, done.stderr
    return objects(done.stdout)


@pytest.mark.parametrize("version", VERSIONS)
def test_names_that_look_like_numbers_are_names(version: str, tmp_path: Path) -> None:
    found = made_of(NUMBERS, tmp_path, version)
    for one in found:
        require_valid(one, CLUSTER)
    added = fragment_in(found)
    volumes = {volume["name"]: volume for volume in added["volumes"]}
    assert volumes["hopwatch-landed"]["persistentVolumeClaim"] == {"claimName": "2024"}
    assert volumes["hopwatch-token"]["secret"]["secretName"] == "1234"
    assert added["imagePullSecrets"] == [{"name": "123"}]


SPARK_CONF = {
    "spark.a": "x: y",
    "spark.b": "x #y",
    "spark.driver.extraJavaOptions": "-Xss4m",
    "spark.speculation": "true",
}


def test_settings_of_spark_reach_it_as_they_are_said(tmp_path: Path) -> None:
    analysis: Json = {"kind": "CronJob", "sparkConf": SPARK_CONF}
    found = made_of({"landing": {"uri": "s3://events"}, "analysis": analysis}, tmp_path)
    (pod,) = (pod for pod in pods_of(found) if pod["containers"][0]["name"] == "analysis")
    settings = {one for one in pod["containers"][0]["args"] if one.startswith("--conf=")}
    expected = SPARK_CONF | {
        "spark.driver.extraJavaOptions": "-Djava.io.tmpdir=/scratch -Xss4m",
        "spark.executor.extraJavaOptions": "-Djava.io.tmpdir=/scratch",
    }
    assert settings == {f"--conf={name}={value}" for name, value in expected.items()}
    analysis |= {"kind": "SparkApplication", "namespace": "jobs"}
    found = made_of({"landing": {"uri": "s3://events"}, "analysis": analysis}, tmp_path)
    application = only(found, "SparkApplication")
    assert application["spec"]["sparkConf"] == expected
    assert application["metadata"]["namespace"] == "jobs"


LONGEST = {"CronJob": 52, "Service": 63}


@pytest.mark.parametrize("release", ["a" * 53, "release.of.a-long-name-that-helm-takes-all-the-same"])
def test_the_longest_names_of_releases_are_names_for_all_that_is_made(release: str, tmp_path: Path) -> None:
    values = {"landing": {"uri": "s3://events"}, "analysis": {"kind": "CronJob"}}
    found = made_of(values, tmp_path, release=release)
    for one in found:
        name = one["metadata"]["name"]
        assert len(name) <= LONGEST.get(one["kind"], 63), name
        assert "." not in name or one["kind"] not in LONGEST


def test_an_agent_keeps_no_more_than_its_volume_holds(tmp_path: Path) -> None:
    for size, kept in (
        ("256Mi", 2**26),
        ("2Gi", 2**29),
        ("1.5G", 375_000_000),
        ("4000000", 10**6),
        ("2Mi", 10**6),
    ):
        added = fragment_in(made_of({"agent": {"dataSize": size}}, tmp_path))
        (agent,) = (one for one in added["initContainers"] if one["name"] == "hopwatch-agent")
        variables = {one["name"]: one.get("value") for one in agent["env"]}
        assert variables["HOPWATCH_AGENT_KEEP_BYTES"] == str(kept)


def test_a_platform_that_chooses_users_is_told_of_none(tmp_path: Path) -> None:
    values = {
        "agent": {"user": None},
        "analysis": {"kind": "CronJob", "user": None},
        "landing": {"uri": "s3://events"},
    }
    found = made_of(values, tmp_path)
    pods = [*pods_of(found), fragment_in(found)]
    for container in (
        one for pod in pods for part in ("initContainers", "containers") for one in pod.get(part, ())
    ):
        assert container["securityContext"].keys() & {"runAsUser", "runAsGroup"} == set()
        assert container["securityContext"]["runAsNonRoot"] is True
    assert all("fsGroup" not in pod.get("securityContext", {}) for pod in pods)


def test_a_label_of_somebodys_comes_before_ours(tmp_path: Path) -> None:
    values = {
        "agent": {"openToOthers": "metrics"},
        "monitoring": {"podMonitor": {"enabled": True, "labels": {"app.kubernetes.io/name": "watched"}}},
    }
    labels = only(made_of(values, tmp_path), "PodMonitor")["metadata"]["labels"]
    assert labels["app.kubernetes.io/name"] == "watched"
    assert labels["app.kubernetes.io/component"] == "agent"


def test_what_is_taken_away_is_not_asked_for(tmp_path: Path) -> None:
    values: Json = {
        "landing": {"uri": "s3://events"},
        "agent": {"dataSize": None, "openToOthers": "metrics"},
        "analysis": {"kind": "CronJob", "sparkConf": None},
        "monitoring": {part: {"enabled": True, "labels": None} for part in ("podMonitor", "dashboard")},
    }
    found = made_of(values, tmp_path)
    assert (
        "grafana_dashboard"
        not in only([one for one in found if one["metadata"]["name"].endswith("-dashboard")], "ConfigMap")[
            "metadata"
        ]["labels"]
    )


def test_without_a_probe_of_its_readiness_an_agent_keeps_no_pod_from_being_ready(tmp_path: Path) -> None:
    added = fragment_in(made_of({"agent": {"readinessProbe": False}}, tmp_path))
    (agent,) = (one for one in added["initContainers"] if one["name"] == "hopwatch-agent")
    assert agent.keys() & {"startupProbe", "readinessProbe"} == {"startupProbe"}


def test_executors_of_another_cluster_are_not_kept_from_their_driver(tmp_path: Path) -> None:
    for master, policies in (("local[2]", 1), ("spark://spark:7077", 0)):
        analysis = {"kind": "CronJob", "master": master}
        found = made_of(
            {"landing": {"uri": "s3://events"}, "analysis": analysis, "injector": {"enabled": False}},
            tmp_path,
        )
        assert len([one for one in found if one["kind"] == "NetworkPolicy"]) == policies


def test_reports_outlive_the_release(tmp_path: Path) -> None:
    found = made_of({"landing": {"uri": "s3://events"}, "analysis": {"kind": "CronJob"}}, tmp_path)
    claim = only(found, "PersistentVolumeClaim")
    assert claim["metadata"]["annotations"] == {"helm.sh/resource-policy": "keep"}


@pytest.mark.parametrize("version", VERSIONS)
def test_certificates_made_by_one_and_by_another_are_kept_apart(version: str) -> None:
    secrets = {
        source: only(
            objects(rendered(version, CHART, "--set", f"injector.certificates.source={source}")), "Deployment"
        )["spec"]["template"]["spec"]["volumes"][1]["secret"]["secretName"]
        for source in ("helm", "cert-manager")
    }
    assert len(set(secrets.values())) == 2


@pytest.mark.parametrize(("release", "namespace"), [("true", "watch"), ("hw", "2024"), ("on", "1e3")])
def test_releases_and_namespaces_that_look_like_other_things_are_names(release: str, namespace: str) -> None:
    place = ("--namespace", namespace, "--kube-version", CLUSTER, "--values", VALUES["s3"])
    done = helm("4", "template", release, CHART, *place)
    assert done.returncode == 0, done.stderr
    for one in objects(done.stdout):
        assert isinstance(one["metadata"]["name"], str)
        assert one["metadata"]["labels"]["app.kubernetes.io/instance"] == release
        if "namespace" in one["metadata"]:
            assert one["metadata"]["namespace"] == namespace
        if not is_of_others(one):
            require_valid(one, CLUSTER)


def test_an_image_by_its_digest_has_no_tag(tmp_path: Path) -> None:
    digest = f"hopwatch/agent@sha256:{'0' * 64}"
    found = made_of({"images": {"agent": digest, "tag": "9"}}, tmp_path)
    added = {one["name"]: one["image"] for one in fragment_in(found)["initContainers"]}
    assert added["hopwatch-agent"] == f"localhost/{digest}"
    assert added["hopwatch-instrumentation"] == "localhost/hopwatch/instrumentation:9"


def test_what_a_user_is_told_to_type_has_the_token_that_agents_ask_for() -> None:
    for values, says in (
        ("guarded", 'curl -H "Authorization: Bearer $token" --insecure https://'),
        ("s3", "curl http://"),
    ):
        done = helm("4", "install", "hw", CHART, "--dry-run=client", "--values", VALUES[values])
        assert done.returncode == 0, done.stderr
        assert says in done.stdout[done.stdout.index("NOTES:") :]


def test_an_authority_of_certificates_outlives_those_it_signs(tmp_path: Path) -> None:
    found = made_of({"injector": {"certificates": {"source": "cert-manager"}}}, tmp_path)
    certificates = {one["metadata"]["name"]: one["spec"] for one in found if one["kind"] == "Certificate"}
    issuers = {one["metadata"]["name"]: one["spec"] for one in found if one["kind"] == "Issuer"}
    served = certificates.pop("hw-hopwatch-injector")
    (authority,) = certificates.values()
    assert issuers[served["issuerRef"]["name"]]["ca"]["secretName"] == authority["secretName"]
    assert authority["isCA"] is True
    assert issuers[authority["issuerRef"]["name"]] == {"selfSigned": {}}
    assert authority["privateKey"]["rotationPolicy"] == "Never"
