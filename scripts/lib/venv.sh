# shellcheck shell=bash disable=SC2154 # setup.sh sets $repo
# ensure_venv REPO EXTRA: leaves REPO/.venv with hopwatch[EXTRA], editable and up to date, in the versions of constraints.txt.

ensure_venv() {
  local repo=$1 extra=$2 venv=$1/.venv python wanted
  if ! "$venv/bin/python" -c 'import pip' 2>/dev/null; then
    python=$(find_python) || give_up "Python 3.10 or newer is needed, and none is on PATH: install one (Debian and Ubuntu: apt-get install python3 python3-venv)"
    make_venv "$python" "$venv"
  fi
  wanted=$(what_is_wanted "$repo")
  is_installed "$venv" "$extra" "$wanted" && return
  say "installing hopwatch[$extra] into $venv (once; a minute or two)"
  install_pinned "$venv/bin/python" --editable "${repo}[$extra]" ||
    give_up "hopwatch[$extra] could not be installed; what uv said is above"
  printf '%s\n' "$wanted" >"$venv/hopwatch-$extra.stamp"
}

# install_pinned PYTHON ARGUMENTS...: as pip install ARGUMENTS, in the versions of constraints.txt, those that packages are built with too. uv takes
# a third of pip's time. pyspark is built from source: without compressing its wheel the installation takes 20 s in place of 37 s.
install_pinned() {
  local python=$1 pins=$repo/constraints.txt
  shift
  # as if nobody had told pip to install for the user alone
  PIP_USER=0 "$python" -m pip install --quiet --quiet --disable-pip-version-check --constraint "$pins" uv >&2 &&
    "$python" -m uv pip install --quiet --python "$python" --constraints "$pins" --build-constraints "$pins" \
      --config-settings-package "pyspark:--build-option=--compression=stored" "$@" >&2
}

find_python() {
  local python
  for python in python3 python3.14 python3.13 python3.12 python3.11 python3.10; do
    if "$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
      echo "$python"
      return 0
    fi
  done
  return 1
}

make_venv() {
  local python=$1 venv=$2 package
  package=python$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')-venv
  # Debian keeps ensurepip, which venv needs, in a package of its own.
  if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
    can_install_packages || give_up "$python cannot make virtual environments: install its venv module (Debian and Ubuntu: apt-get install $package)"
    install_packages "$package" || give_up "apt-get could not install $package"
  fi
  say "making $venv with $("$python" --version)"
  "$python" -m venv --clear "$venv" || give_up "$python -m venv failed; what it said is above"
}

# An environment is bound to its place and its Python as well as to what pyproject.toml asks for.
what_is_wanted() {
  local repo=$1
  { echo "$repo"; "$repo/.venv/bin/python" --version; cat "$repo/pyproject.toml" "$repo/constraints.txt"; } | cksum
}

# [dev] holds all of [all].
is_installed() {
  local venv=$1 extra=$2 wanted=$3 stamp
  for stamp in "$extra" dev; do
    if [ "$(cat "$venv/hopwatch-$stamp.stamp" 2>/dev/null)" = "$wanted" ]; then return 0; fi
  done
  return 1
}
