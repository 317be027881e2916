# shellcheck shell=bash
# ensure_npm_packages FOLDER SIZE PACKAGE@VERSION...: packages of npm as FOLDER/node_modules/PACKAGE. Where they cannot be fetched, tests that need
# them are skipped and say so.

# what the packages need themselves is as new as on that day, and no newer
readonly NPM_AS_OF=2026-11-20

ensure_npm_packages() {
  local folder=$1 size=$2 scratch
  shift 2
  has_npm_packages "$folder" "$@" && return
  say "fetching $* into $folder (once; $size)"
  scratch=$(mktemp -d)
  if npm install --silent --no-audit --no-fund --before "$NPM_AS_OF" --prefix "$scratch" "$@" >/dev/null; then
    mkdir -p "$folder"
    rm -rf "$folder/node_modules"
    mv "$scratch/node_modules" "$folder"
  else
    say "npm could not fetch them: tests that need them will be skipped"
  fi
  rm -rf "$scratch"
}

has_npm_packages() {
  local folder=$1 package
  shift
  for package in "$@"; do
    grep --quiet --no-messages "\"version\": \"${package##*@}\"" "$folder/node_modules/${package%@*}/package.json" || return 1
  done
}
