# shellcheck shell=bash disable=SC2154 # setup.sh sets $repo
# ensure_needs PATH...: what the tests at these paths talk to, and nothing else; paths are relative to the repository.

readonly EVERYTHING=(tests/agent tests/analysis tests/api tests/console tests/demo tests/docs tests/helm tests/injector tests/instrumentation tests/page tests/pods tests/recorded tests/scenarios)

# What the gate leaves to --all needs containers, and jars for S3: set-up-all has them once the sources are checked.
ensure_needs_of_gate() {
  ensure_java
  ensure_tools shellcheck=shellcheck chromium-headless-shell=chromium-headless-shell curl=curl faketime=faketime fish=fish ip=iproute2 iptables=iptables jq=jq npm=npm openssl=openssl prometheus=prometheus promtool=prometheus zsh=zsh
  ensure_helms "$repo/.tools/helm"
  ensure_crd_types "$repo/.tools/crds"
  ensure_page_checks "$repo/.tools/page"
}

# ensure_needs_of_arguments ARGUMENTS...: of the paths among pytest's arguments; without any, all tests are meant.
ensure_needs_of_arguments() {
  local argument
  for argument in "$@"; do
    if [[ $argument != -* && -e $repo/${argument%%::*} ]]; then
      ensure_needs "$@"
      return
    fi
  done
  ensure_needs tests
}

ensure_needs() {
  local path
  for path in "$@"; do
    case $path in
      . | tests) ensure_needs "${EVERYTHING[@]}" ;;
      tests/agent*) ensure_tools faketime=faketime ip=iproute2 iptables=iptables openssl=openssl promtool=prometheus prometheus=prometheus ;;
      tests/analysis*) ensure_java && ensure_needs_of_analysis "$path" ;;
      tests/api/test_analysed_incidents* | tests/docs/test_commands.py*) ensure_java && ensure_tools curl=curl ip=iproute2 iptables=iptables jq=jq ;;
      tests/api/test_*) ensure_tools ip=iproute2 iptables=iptables openssl=openssl ;;
      tests/docs/test_*) ensure_tools chromium-headless-shell=chromium-headless-shell ;;
      tests/api*) ensure_java && ensure_tools ip=iproute2 iptables=iptables openssl=openssl ;;
      tests/console*) ensure_tools fish=fish openssl=openssl zsh=zsh ;;
      tests/demo* | tests/recorded*) ensure_java ;;
      tests/docs*) ensure_java && ensure_tools chromium-headless-shell=chromium-headless-shell curl=curl ip=iproute2 iptables=iptables jq=jq ;;
      tests/helm* | tests/injector*) ensure_charts ;;
      tests/instrumentation*) ensure_tools ss=iproute2 ;;
      tests/page*) ensure_tools chromium-headless-shell=chromium-headless-shell npm=npm && ensure_crd_types "$repo/.tools/crds" && ensure_page_checks "$repo/.tools/page" ;;
      tests/pods*) ensure_java && ensure_pods ;;
      tests/scenarios*) ensure_java && ensure_tools chromium-headless-shell=chromium-headless-shell faketime=faketime ip=iproute2 iptables=iptables ;;
    esac
  done
}

ensure_needs_of_analysis() {
  case $1 in
    *test_page*) ensure_tools chromium-headless-shell=chromium-headless-shell ;;
    *test_*) ;;
    *) ensure_tools chromium-headless-shell=chromium-headless-shell fusermount3=fuse3 ;;
  esac
  case $1 in *test_cluster* | *test_landed_elsewhere* | tests/analysis) ensure_tools fusermount3=fuse3 && ensure_s3_jars "$repo/.tools/jars" ;; esac
}

ensure_charts() {
  ensure_tools npm=npm openssl=openssl promtool=prometheus prometheus=prometheus
  ensure_helms "$repo/.tools/helm"
  ensure_crd_types "$repo/.tools/crds"
}

ensure_pods() {
  ensure_helms "$repo/.tools/helm"
  ensure_tools buildah=buildah catatonit=catatonit mmdebstrap=mmdebstrap podman=podman runc=runc
  ensure_containers "$repo/.tools/containers"
}
