# Sourced by tools/demo and tools/test: checks the machine and installs the system libraries, once.
# After the first run nothing here needs the network.

setup_fail() {
    echo "$(basename "$0"): $1" >&2
    exit 1
}

# Debian or Ubuntu, for the names of the packages.
setup_system() {
    command -v swift >/dev/null ||
        setup_fail "no Swift toolchain found: install Swift 6.2 or newer from swift.org/install and put it on PATH"
    command -v apt-get >/dev/null && command -v dpkg-query >/dev/null ||
        setup_fail "no Debian or Ubuntu: install the development files of libjpeg-turbo (turbojpeg.h), SQLite 3, zlib, zstd, lz4 and AprilTag, pkg-config and python3 with venv, then run: swift build -c release"
}

# setup_packages NAME...: installs those that are missing.
setup_packages() {
    local missing=() name
    for name in "$@"; do
        dpkg-query -W -f '${Status}' "$name" 2>/dev/null | grep -q 'ok installed' || missing+=("$name")
    done
    [ ${#missing[@]} -eq 0 ] && return 0
    local root=()
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || setup_fail "missing packages, and neither root nor sudo: apt-get install ${missing[*]}"
        root=(sudo)
    fi
    echo "installing: ${missing[*]}" >&2
    "${root[@]}" apt-get update -qq ||
        echo "$(basename "$0"): apt-get update failed; trying with the lists that are here" >&2
    DEBIAN_FRONTEND=noninteractive "${root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null ||
        setup_fail "could not install: ${missing[*]}"
}

setup_libraries=(libturbojpeg0-dev libsqlite3-dev zlib1g-dev libzstd-dev liblz4-dev libapriltag-dev pkg-config)
