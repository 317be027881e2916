# shellcheck shell=bash
# What the scripts print about themselves goes to stderr, so that stdout stays the command's own.

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }

# Something is missing that only the user can provide: one line, exit status 2.
give_up() {
  say "$*"
  exit 2
}

can_install_packages() { [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; }

install_packages() {
  say "installing $* with apt-get"
  apt-get update -qq >&2
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >&2
}
