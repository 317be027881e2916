# shellcheck shell=bash disable=SC2154 # setup.sh sets $repo
# ensure_s3_jars FOLDER: Hadoop's file system for s3a:// and the SDK that it needs, which Spark's own package lacks. A test has Spark read
# from a real S3 server with them; where they cannot be fetched, it is skipped and says so.

readonly S3_JARS_PACKAGE=sagemaker_pyspark==1.4.5
readonly S3_JARS=(hadoop-aws-3.3.1.jar aws-java-sdk-bundle-1.11.901.jar)

ensure_s3_jars() {
  local folder=$1 scratch
  has_s3_jars "$folder" && return
  say "fetching ${S3_JARS[*]} into $folder (once; 180 MB)"
  scratch=$(mktemp -d)
  if fetch_s3_jars "$scratch"; then
    mkdir -p "$folder"
    mv "${S3_JARS[@]/#/$scratch/}" "$folder"
  else
    say "pip could not fetch $S3_JARS_PACKAGE: tests that need its jars will be skipped"
  fi
  rm -rf "$scratch"
}

has_s3_jars() {
  local jar
  for jar in "${S3_JARS[@]}"; do [ -f "$1/$jar" ] || return 1; done
}

fetch_s3_jars() {
  "$(find_python)" -m pip download --quiet --disable-pip-version-check --no-deps --dest "$1" "$S3_JARS_PACKAGE" >&2 &&
    tar --extract --gzip --file "$1"/sagemaker_pyspark-*.tar.gz --directory "$1" --strip-components=3 --wildcards "${S3_JARS[@]/#/*/}"
}
