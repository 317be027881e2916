# shellcheck shell=bash
# ensure_java: leaves the shell with a Java runtime that Spark can use, or ends it with one clear line.

readonly JAVA_PACKAGE=openjdk-17-jre-headless
readonly OLDEST_JAVA=17

ensure_java() {
  java_suits "$(java_of_spark)" && return
  use_installed_java && return
  can_install_packages ||
    give_up "Spark needs a Java runtime $OLDEST_JAVA or newer: install one (Debian and Ubuntu: apt-get install $JAVA_PACKAGE)"
  install_packages "$JAVA_PACKAGE" || give_up "apt-get could not install $JAVA_PACKAGE: install a Java runtime $OLDEST_JAVA or newer"
  java_suits "$(java_of_spark)" || use_installed_java ||
    give_up "$JAVA_PACKAGE is installed, but no Java runtime $OLDEST_JAVA or newer was found: set JAVA_HOME to one"
}

# find_java: has this shell use the runtime that there is, if one suits; ensure_java may have installed it in another shell.
find_java() { java_suits "$(java_of_spark)" || use_installed_java || true; }

# Spark looks at JAVA_HOME first, then at PATH.
java_of_spark() {
  if [ -n "${JAVA_HOME:-}" ]; then echo "$JAVA_HOME/bin/java"; else echo java; fi
}

java_suits() {
  local major
  major=$("$1" -version 2>&1 | sed -nE 's/.* version "([0-9]+).*/\1/p' | head -n 1) || return 1
  [ -n "$major" ] && [ "$major" -ge "$OLDEST_JAVA" ]
}

# A suitable runtime may be there without being the one that JAVA_HOME or PATH names.
use_installed_java() {
  local java
  for java in /usr/lib/jvm/*/bin/java; do
    if java_suits "$java"; then
      JAVA_HOME=$(dirname "$(dirname "$java")")
      export JAVA_HOME
      return 0
    fi
  done
  return 1
}
