# shellcheck shell=bash disable=SC2154 # setup.sh sets $repo
# build_image CONTEXT NAME [FILE]: one image, by buildah. What the machine trusts and has fetched before is lent to the build, and is in no image.

image_name() { echo "localhost/hopwatch/$1:$(sed -nE 's/^version = "(.*)"/\1/p' "$repo/pyproject.toml")"; }

build_image() {
  local context=$1 name=$2 file=${3:-$repo/images/Containerfile} scratch base=()
  [ -z "${BASE:-}" ] || base=(--build-arg "BASE=$BASE")
  scratch=$(mktemp -d)
  say "building $(image_name "$name"): a minute or two"
  lend_to_builds "$scratch"
  if ! buildah build --layers --isolation chroot --network host --timestamp "$(time_of_sources)" "${lent[@]}" "${base[@]}" \
    --target "$name" --tag "$(image_name "$name")" --file "$file" "$context" >"$scratch/log" 2>&1; then
    tail -n 30 "$scratch/log" >&2
    rm -rf "$scratch"
    give_up "buildah could not build $name; what it said last is above"
  fi
  rm -rf "$scratch"
}

# Of the same sources and packages, the same layers.
time_of_sources() { git -C "$repo" log -1 --format=%ct 2>/dev/null || echo 0; }

# Registries may be behind an authority that only this machine knows; wheels that pip has made before are not made again.
# Each place is there in the image already: one that is not would be made, and stay.
lend_to_builds() {
  local authorities=/etc/ssl/certs/ca-certificates.crt cache
  mkdir "$1/mnt"
  printf '[global]\n' >"$1/mnt/pip.conf"
  lent=(--volume "$1/mnt:/mnt")
  if cache=$(python3 -m pip cache dir 2>/dev/null) && [ -d "$cache" ]; then
    echo "cache-dir = /mnt/cache" >>"$1/mnt/pip.conf"
    mkdir "$1/mnt/cache"
    lent+=(--volume "$cache:/mnt/cache:O")
  fi
  if [ -f "$authorities" ]; then
    echo "cert = $authorities" >>"$1/mnt/pip.conf"
    lent+=(--volume "$authorities:$authorities:ro")
  fi
}

image_size() { buildah images --format '{{.Size}}' "$(image_name "$1")"; }
