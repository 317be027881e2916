# shellcheck shell=bash
# ensure_crd_types FOLDER: what objects of the Prometheus operator and of cert-manager have, as types of TypeScript, and its compiler. Tests hold
# what the chart makes against them; where they cannot be fetched, those are skipped and say so.

readonly CRD_PACKAGES=(@kubernetes-models/prometheus-operator@6.0.0 @kubernetes-models/cert-manager@4.4.4 typescript@5.9.3)

ensure_crd_types() {
  local folder=$1 scratch
  [ -d "$folder/node_modules/typescript" ] && return
  say "fetching ${CRD_PACKAGES[*]} into $folder (once; 60 MB)"
  scratch=$(mktemp -d)
  if npm install --silent --no-audit --no-fund --prefix "$scratch" "${CRD_PACKAGES[@]}" >/dev/null; then
    mkdir -p "$folder"
    mv "$scratch/node_modules" "$folder"
  else
    say "npm could not fetch them: tests that need them will be skipped"
  fi
  rm -rf "$scratch"
}
