# shellcheck shell=bash
# ensure_crd_types FOLDER: what objects of the Prometheus operator and of cert-manager have, as types of TypeScript, and its compiler. Tests hold
# what the chart makes against them, and the page's scripts against the language.

readonly CRD_PACKAGES=(@kubernetes-models/prometheus-operator@6.0.0 @kubernetes-models/cert-manager@4.4.4 typescript@5.9.3)

ensure_crd_types() { ensure_npm_packages "$1" "60 MB" "${CRD_PACKAGES[@]}"; }
