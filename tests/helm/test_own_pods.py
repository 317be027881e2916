"""What the chart runs itself: where, and as whom."""

from pathlib import Path

from charts import Json, only, pods_of, spark_parts

from tests.helm.test_odd_values import made_of


def test_what_the_chart_runs_itself_runs_where_its_images_can(tmp_path: Path) -> None:
    values: Json = {
        "images": {"architectures": ["amd64"]},
        "landing": {"uri": "s3://events"},
        "injector": {"affinity": {"podAntiAffinity": {}}},
        "analysis": {"kind": "CronJob"},
    }
    found = made_of(values, tmp_path)
    values["analysis"] = {"kind": "SparkApplication", "namespace": "jobs"}
    pods = [*pods_of(found), *spark_parts(made_of(values, tmp_path))]
    assert len(pods) == 4
    for pod in pods:
        required = pod["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
        (term,) = required["nodeSelectorTerms"]
        assert term["matchExpressions"] == [
            {"key": "kubernetes.io/arch", "operator": "In", "values": ["amd64"]}
        ]
        assert pod["nodeSelector"]["kubernetes.io/os"] == "linux"
    assert "podAntiAffinity" in pods[1]["affinity"]


def test_nodes_that_somebody_asks_for_have_to_be_those_that_images_are_for_as_well(tmp_path: Path) -> None:
    pools = [[{"key": "pool", "operator": "In", "values": [pool]}] for pool in ("a", "b")]
    required = {"nodeSelectorTerms": [{"matchExpressions": pool} for pool in pools]}
    values: Json = {
        "images": {"architectures": ["amd64"]},
        "injector": {
            "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}
        },
    }
    (pod,) = pods_of(made_of(values, tmp_path))
    terms = pod["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"][
        "nodeSelectorTerms"
    ]
    ours = {"key": "kubernetes.io/arch", "operator": "In", "values": ["amd64"]}
    assert [term["matchExpressions"] for term in terms] == [[*pool, ours] for pool in pools]


def test_the_analysis_gets_what_a_cloud_asks_for(tmp_path: Path) -> None:
    identity = {"eks.amazonaws.com/role-arn": "arn:aws:iam::1:role/reader"}
    analysis: Json = {
        "kind": "CronJob",
        "env": [{"name": "AWS_REGION", "value": "eu-west-1"}],
        "labels": {"azure.workload.identity/use": "true"},
        "serviceAccount": {"annotations": identity},
    }
    found = made_of({"landing": {"uri": "s3://events"}, "analysis": analysis}, tmp_path)
    accounts = {one["metadata"]["name"]: one for one in found if one["kind"] == "ServiceAccount"}
    assert accounts["hw-hopwatch-analysis"]["metadata"]["annotations"] == identity
    template = only(found, "CronJob")["spec"]["jobTemplate"]["spec"]["template"]
    assert template["metadata"]["labels"]["azure.workload.identity/use"] == "true"
    assert {"name": "AWS_REGION", "value": "eu-west-1"} in template["spec"]["containers"][0]["env"]
    analysis |= {"kind": "SparkApplication", "namespace": "jobs"}
    found = made_of({"landing": {"uri": "s3://events"}, "analysis": analysis}, tmp_path)
    for part in spark_parts(found):
        assert part["labels"]["azure.workload.identity/use"] == "true"
        assert {"name": "AWS_REGION", "value": "eu-west-1"} in part["env"]
