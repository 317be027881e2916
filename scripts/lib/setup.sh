# shellcheck shell=bash
# set_up EXTRA: everything that hopwatch[EXTRA] needs on this machine, made where it is missing.
# Leaves the repository's folder in $repo.

repo=$(readlink -f "$(dirname "${BASH_SOURCE[0]}")/../..")
# shellcheck source=scripts/lib/say.sh
source "$repo/scripts/lib/say.sh"
# shellcheck source=scripts/lib/java.sh
source "$repo/scripts/lib/java.sh"
# shellcheck source=scripts/lib/tools.sh
source "$repo/scripts/lib/tools.sh"
# shellcheck source=scripts/lib/helm.sh
source "$repo/scripts/lib/helm.sh"
# shellcheck source=scripts/lib/npm.sh
source "$repo/scripts/lib/npm.sh"
# shellcheck source=scripts/lib/page.sh
source "$repo/scripts/lib/page.sh"
# shellcheck source=scripts/lib/crds.sh
source "$repo/scripts/lib/crds.sh"
# shellcheck source=scripts/lib/jars.sh
source "$repo/scripts/lib/jars.sh"
# shellcheck source=scripts/lib/images.sh
source "$repo/scripts/lib/images.sh"
# shellcheck source=scripts/lib/containers.sh
source "$repo/scripts/lib/containers.sh"
# shellcheck source=scripts/lib/needs.sh
source "$repo/scripts/lib/needs.sh"
# shellcheck source=scripts/lib/venv.sh
source "$repo/scripts/lib/venv.sh"

set_up() {
  ensure_java
  ensure_venv "$repo" "$1"
}
