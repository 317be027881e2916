# shellcheck shell=bash
# ensure_tools COMMAND=PACKAGE...: programs that some tests talk to. Where they are missing and cannot be installed, those tests are
# skipped and say so.

ensure_tools() {
  local wanted missing=()
  for wanted in "$@"; do
    has_command "${wanted%%=*}" || missing+=("${wanted#*=}")
  done
  [ ${#missing[@]} -eq 0 ] && return
  if can_install_packages && install_packages "${missing[@]}"; then return; fi
  say "tests that need ${missing[*]} will be skipped"
}

# What only root uses is not on everybody's PATH.
has_command() { PATH=$PATH:/usr/sbin:/sbin command -v "$1" >/dev/null; }
