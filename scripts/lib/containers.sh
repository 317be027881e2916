# shellcheck shell=bash disable=SC2154 # setup.sh sets $repo
# ensure_containers FOLDER: podman with settings and images of its own in FOLDER, for tests that play pods. Where that cannot be had, those
# are skipped and say so.

ensure_containers() {
  local folder=$1
  rm -f "$folder/containers.conf"
  if (make_containers "$folder"); then
    mv "$folder/containers.conf.new" "$folder/containers.conf"
  else
    say "tests that play pods will be skipped"
  fi
}

make_containers() {
  local folder=$1
  if ! can_play_pods; then
    say "pods are played by root, with buildah, podman, runc and mmdebstrap"
    return 1
  fi
  write_container_settings "$folder"
  export CONTAINERS_CONF=$folder/containers.conf.new CONTAINERS_STORAGE_CONF=$folder/storage.conf
  ensure_base_image || return
  BASE=$(image_name base)
  export BASE
  "$repo/scripts/build-images" && build_image "$repo/tests/pods" test-application "$repo/tests/pods/Containerfile" || return
  # layers of sources that have changed since
  podman image prune --force >/dev/null 2>&1
}

can_play_pods() { [ "$(id -u)" -eq 0 ] && has_command buildah && has_command podman && has_command runc && has_command mmdebstrap; }

# runc runs where both versions of cgroups are mounted, too. Limits that are not said would be more than a container of this machine may have.
write_container_settings() {
  mkdir -p "$1"
  cat >"$1/containers.conf.new" <<END
[containers]
default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]
[engine]
cgroup_manager = "cgroupfs"
events_logger = "none"
runtime = "runc"
END
  # the place of what runs has to have a short name, and is another one for each checkout
  cat >"$1/storage.conf" <<END
[storage]
driver = "overlay"
graphroot = "$1/storage"
runroot = "/run/hopwatch-tests-$(cksum <<<"$1" | cut -d ' ' -f 1)"
END
}

# Images of Python are on no registry of packages: a Debian or Ubuntu like this machine's takes their place.
ensure_base_image() {
  local scratch status=0
  podman image exists "$(image_name base)" 2>/dev/null && return
  say "making a system to build images on, from this machine's packages (once; a minute)"
  scratch=$(mktemp -d)
  make_system "$scratch/system.tar" >"$scratch/log" 2>&1 && import_system "$scratch/system.tar" >>"$scratch/log" 2>&1 || status=$?
  [ "$status" -eq 0 ] || { say "it could not be made:" && tail -n 5 "$scratch/log" >&2; }
  rm -rf "$scratch"
  return "$status"
}

# Without manuals, as the images of Python are, and with packages from where this machine has its own.
make_system() {
  local sources release
  release=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
  sources=$(find /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list.d/ubuntu.sources /etc/apt/sources.list 2>/dev/null | head -n 1)
  mmdebstrap --variant=apt --include=python3,python3-venv,ca-certificates \
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/doc/*' "$release" "$1" "$sources"
}

import_system() {
  podman import --quiet --change 'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' "$1" "$(image_name base)" &&
    podman run --rm --network none "$(image_name base)" python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))'
}
