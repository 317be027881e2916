# shellcheck shell=bash
# ensure_page_checks FOLDER: axe-core, by which a test looks for what keeps people from using the page.

readonly PAGE_PACKAGES=(axe-core@4.14.1)

ensure_page_checks() { ensure_npm_packages "$1" "3 MB" "${PAGE_PACKAGES[@]}"; }
