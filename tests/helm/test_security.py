"""What runs is "restricted" by the Pod Security Standards, may ask the API server for no more than it needs, and cannot be reached by all."""

import json

import pytest
from charts import CHART, VALUES, Json, objects, only, pods_of, rendered, spark_parts

TOKEN = "/var/run/secrets/kubernetes.io/serviceaccount"  # noqa: S105 - where it is mounted


@pytest.fixture(params=VALUES)
def found(request: pytest.FixtureRequest) -> list[Json]:
    return objects(rendered("4", CHART, "--values", VALUES[request.param]))


def injected(found: list[Json]) -> Json:
    """What the injector would add, if there is one."""
    maps = [one["data"] for one in found if one["kind"] == "ConfigMap" and "fragment.json" in one["data"]]
    added: Json = json.loads(maps[0]["fragment.json"]) if maps else {}
    return added


def containers(found: list[Json]) -> list[Json]:
    """All that would run."""
    parts = [*pods_of(found), injected(found)]
    return [
        one for part in parts for name in ("initContainers", "containers") for one in part.get(name) or ()
    ]


def test_every_container_is_restricted(found: list[Json]) -> None:
    assert containers(found) or not any(one["kind"] == "Deployment" for one in found)
    for one in [*containers(found), *spark_parts(found)]:
        context = one["securityContext"]
        assert (context["runAsNonRoot"], context["allowPrivilegeEscalation"], context["privileged"]) == (
            True,
            False,
            False,
        )
        assert context["runAsUser"] > 0
        assert context["capabilities"] == {"drop": ["ALL"]}
        assert context["seccompProfile"] == {"type": "RuntimeDefault"}
        assert context["readOnlyRootFilesystem"] is True
    for one in containers(found):
        assert one["resources"]["limits"]["memory"]
        assert one["resources"]["requests"]["cpu"]


def test_pods_of_spark_write_to_volumes_as_the_user_that_they_are(found: list[Json]) -> None:
    for one in spark_parts(found):
        assert one["podSecurityContext"]["fsGroup"] == one["securityContext"]["runAsUser"]
        assert one["memory"]


def test_no_volume_is_of_the_host(found: list[Json]) -> None:
    volumes = [volume for part in [*pods_of(found), injected(found)] for volume in part.get("volumes") or ()]
    assert {kind for volume in volumes for kind in volume if kind != "name"} <= {
        "emptyDir",
        "configMap",
        "secret",
        "persistentVolumeClaim",
    }


def test_only_a_driver_that_makes_executors_may_ask_the_api_server(found: list[Json]) -> None:
    kinds = {one["kind"] for one in found}
    assert kinds & {"ClusterRole", "ClusterRoleBinding"} == set()
    makes_executors = bool(kinds & {"SparkApplication", "ScheduledSparkApplication"})
    assert ("Role" in kinds) is makes_executors
    for pod in pods_of(found):
        assert pod["automountServiceAccountToken"] is False
    with_a_token = {
        one["metadata"]["name"]
        for one in found
        if one["kind"] == "ServiceAccount" and one["automountServiceAccountToken"]
    }
    subjects = {
        subject["name"] for one in found if one["kind"] == "RoleBinding" for subject in one["subjects"]
    }
    assert with_a_token == subjects


def test_who_shares_a_pod_has_no_token_of_the_pods_account(found: list[Json]) -> None:
    added = injected(found)
    for one in [*added.get("initContainers", ()), *added.get("containers", ())]:
        (mount,) = (mount for mount in one["volumeMounts"] if mount["mountPath"] == TOKEN)
        (volume,) = (volume for volume in added["volumes"] if volume["name"] == mount["name"])
        assert "emptyDir" in volume
        assert mount["readOnly"] is True


def test_a_pod_is_made_whatever_becomes_of_the_injector() -> None:
    webhooks = only(objects(rendered("4", CHART)), "MutatingWebhookConfiguration")["webhooks"]
    assert len(webhooks) == 2
    for webhook in webhooks:
        assert webhook["failurePolicy"] == "Ignore"
        assert webhook["timeoutSeconds"] <= 5
        assert webhook["sideEffects"] == "None"
        assert {rule["resources"][0] for rule in webhook["rules"]} == {"pods"}


def test_no_policy_is_laid_upon_pods_of_applications(found: list[Json]) -> None:
    parts = {"injector", "analysis"}
    for one in found:
        if one["kind"] == "NetworkPolicy":
            assert one["spec"]["podSelector"]["matchLabels"]["app.kubernetes.io/component"] in parts
