"""What makes a Spark read ``s3a://``: Hadoop's file system for S3 itself, as ``scripts/test`` fetches it, and its settings."""

from pathlib import Path

import pytest
from object_store import KEY, SECRET, ObjectStore

JARS = Path(__file__).parents[2] / ".tools" / "jars"
OLDER_THAN_SPARKS_HADOOP = {
    "aws.credentials.provider": "org.apache.hadoop.fs.s3a.SimpleAWSCredentialsProvider",
    "connection.establish.timeout": "5000",
    "connection.timeout": "200000",
    "multipart.purge.age": "86400",
    "threads.keepalivetime": "60",
}
"""The defaults of Spark's own Hadoop name classes, and have units, that jars of 3.3 do not know; those of its own version do."""


def submit_arguments(store: ObjectStore, *more: str) -> str:
    """For ``PYSPARK_SUBMIT_ARGS``: as whoever may read the store's buckets. Skips the test where the jars are missing."""
    jars = sorted(map(str, JARS.glob("*.jar")))
    if not jars:
        pytest.skip(f"no jars in {JARS}: scripts/test fetches them")
    settings = OLDER_THAN_SPARKS_HADOOP | {
        "access.key": KEY,
        "connection.ssl.enabled": "false",
        "endpoint": store.endpoint,
        "path.style.access": "true",
        "secret.key": SECRET,
    }
    told = [f"--conf spark.hadoop.fs.s3a.{name}={value}" for name, value in settings.items()]
    return " ".join(["--jars", ",".join(jars), *told, *more, "pyspark-shell"])
