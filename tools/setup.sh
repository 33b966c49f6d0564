# Sourced by tools that build or test: checks the machine, and installs what they need, once.
# After the first run nothing here needs the network.

setup_fail() {
    echo "$(basename "$0"): $1" >&2
    exit 1
}

# Debian or Ubuntu, for the names of the packages.
setup_system() {
    command -v swift >/dev/null ||
        setup_fail "no Swift toolchain found: install Swift 6.2.3 or newer from swift.org/install and put it on PATH"
    command -v apt-get >/dev/null && command -v dpkg-query >/dev/null ||
        setup_fail "no Debian or Ubuntu: install the development files of libjpeg-turbo (turbojpeg.h), SQLite 3, zlib, libdeflate, zstd, lz4, AprilTag and libyaml, pkg-config and python3 with venv, then run: swift build -c release"
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo -E "$@"; fi
}

# setup_packages NAME...: installs those that are missing.
setup_packages() {
    local missing=() name
    for name in "$@"; do
        dpkg-query -W -f '${Status}' "$name" 2>/dev/null | grep -q 'ok installed' || missing+=("$name")
    done
    [ ${#missing[@]} -eq 0 ] && return 0
    [ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null ||
        setup_fail "missing packages, and neither root nor sudo: apt-get install ${missing[*]}"
    echo "installing: ${missing[*]}" >&2
    as_root apt-get update -qq ||
        echo "$(basename "$0"): apt-get update failed; trying with the lists that are here" >&2
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null ||
        setup_fail "could not install: ${missing[*]}"
}

setup_libraries=(libturbojpeg0-dev libsqlite3-dev zlib1g-dev libdeflate-dev libzstd-dev liblz4-dev libapriltag-dev libyaml-dev pkg-config)

# Options of every release build:
# - No path of this folder gets into the program: __FILE__ in C is relative, and C has no debug information.
# - Where the library of AprilTag lies in a package, and in a wheel.
setup_options=(-Xcc -g0 -Xlinker -rpath -Xlinker '$ORIGIN/../lib/mapeverything' -Xlinker -rpath -Xlinker '$ORIGIN/../data/lib/mapeverything')

# What is linked as archives, and what pkg-config calls it.
setup_archives=(turbojpeg sqlite3 z deflate zstd lz4 yaml)
setup_modules=(libturbojpeg sqlite3 zlib libdeflate libzstd liblz4 yaml-0.1)

# setup_build PRODUCT [OPTION...]: the release build, with the same options in every tool, so that none builds again what another
# has built, and what is tested is what is packed.
# System libraries are linked as archives: the linker looks first in a folder that has nothing else. Debian has no archive of
# AprilTag; packages bring its library along.
setup_build() {
    local archives=$PWD/.build/archives name
    mkdir -p "$archives"
    for name in "${setup_archives[@]}"; do ln -sf "$(cc -print-file-name=lib$name.a)" "$archives/"; done
    ln -sf "$(c++ -print-file-name=libstdc++.a)" "$archives/"
    # SwiftPM puts what pkg-config says first.
    for name in "${setup_modules[@]}"; do
        printf 'Name: %s\nDescription: as an archive\nVersion: %s\nLibs: -L%s\n' \
            "$name" "$(PKG_CONFIG_PATH='' pkg-config --modversion "$name")" "$archives" >"$archives/$name.pc"
    done
    local older=()
    if [ "$1" = mapeverything ]; then
        # The program asks for glibc 2.34: Swift's runtime has calls of hypotf, whose newest symbol is of 2.35. Only lld, with which
        # the command alone is linked, gives what wraps a function the function of an older version; gold gives it itself.
        cc -O2 -fPIC -g0 -std=gnu11 -c tools/packaging/newer_libc.c -o "$archives/newer_libc.o"
        older=(-Xlinker "$archives/newer_libc.o" -Xlinker --wrap=hypot -Xlinker --wrap=hypotf)
    fi
    PKG_CONFIG_PATH=$archives swift build -c release --product "$1" "${setup_options[@]}" -Xcc "-ffile-prefix-map=$(pwd -P)=." \
        -Xlinker "-L$archives" ${older[@]+"${older[@]}"} "${@:2}"
}

# setup_arm64 PRODUCT: a release build for aarch64 on x86-64, stripped, in $arm64/PRODUCT. The folders have the same names in the
# chroot wherever the repository stands.
arm64=.build/arm64
setup_arm64() {
    mkdir -p "$arm64"
    as_root tools/packaging/arm64 "$arm64"
    as_root "$arm64/enter" swift build -c release --product "$1" --scratch-path /arm64/build \
        --swift-sdks-path /arm64/sdk --swift-sdk arm64 --static-swift-stdlib "${setup_options[@]}" -Xcc -ffile-prefix-map=/src=.
    as_root "$arm64/enter" llvm-objcopy --strip-all --remove-section=.comment \
        "/arm64/build/aarch64-unknown-linux-gnu/release/$1" "/arm64/$1"
}

# A bare Debian 12 for arm64, whose programs qemu runs.
setup_arm64_system() {
    (setup_packages debootstrap qemu-user-static binfmt-support) || return 1
    # Where it is mounted the kernel knows which program runs those of another processor.
    if [ ! -e /proc/sys/fs/binfmt_misc/status ]; then
        as_root mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc || return 1
    fi
    [ -e /proc/sys/fs/binfmt_misc/qemu-aarch64 ] || as_root update-binfmts --enable qemu-aarch64 || return 1
    setup_bare_system bookworm-arm64 bookworm --arch=arm64 --include=python3-venv,ffmpeg
}

# setup_bare_system NAME SUITE OPTION...: a Debian in $packaging/NAME.
setup_bare_system() {
    if [ -f "$packaging/$1.done" ]; then return; fi
    echo "making a bare system: $1" >&2
    as_root rm -rf --one-file-system "$packaging/$1"
    as_root debootstrap --variant=minbase "${@:3}" "$2" "$packaging/$1" \
        "${MAPEVERYTHING_DEBIAN:-http://deb.debian.org/debian}" >"$packaging/$1.log" 2>&1 || return 1
    touch "$packaging/$1.done"
}

# setup_venv FOLDER REQUIREMENTS [MORE...]: a virtual environment with what the file names, made anew when it, or one of those that
# it includes, has changed; nothing is left of one that could not be made.
setup_venv() {
    cat "${@:2}" | cmp -s - "$1/requirements.txt" && return
    echo "installing $2 into $1" >&2
    rm -rf "$1"
    python3 -m venv "$1" && "$1/bin/pip" install --quiet --disable-pip-version-check -r "$2" &&
        cat "${@:2}" >"$1/requirements.txt" && return
    rm -rf "$1"
    return 1
}

venv=.build/peers
# The judges of our output live in a virtual environment of their own. CI must have them; elsewhere their tests skip.
setup_peers() {
    local port=tools/peers/install_autobahn.py
    if ! setup_venv "$venv" tools/peers/requirements.txt; then
        [ "${CI:-}" = true ] && setup_fail "the Python peers could not be installed"
        echo "tools/test: the Python peers could not be installed; the tests that need them will skip" >&2
    fi

    # The server in Arvos's SDK works with old versions of websockets only; its client is judged with the newest.
    if [ -x "$venv/bin/python" ] && [ ! -d "$venv/websockets-13/websockets" ]; then
        "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --target "$venv/websockets-13" \
            websockets==13.1 || [ "${CI:-}" != true ] || setup_fail "websockets 13.1 could not be installed"
    fi

    # Open3D makes maps of the same frames; without the notebooks that it can draw in.
    if [ -x "$venv/bin/python" ] && [ ! -d "$venv/open3d/open3d" ]; then
        "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --target "$venv/open3d" \
            open3d-cpu==0.20.0 || [ "${CI:-}" != true ] || setup_fail "Open3D could not be installed"
    fi

    # Looks for what a page keeps from people who do not see it; without playwright, which it is made for.
    if [ -x "$venv/bin/python" ] && [ ! -d "$venv/axe/axe_playwright_python" ]; then
        "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --target "$venv/axe" \
            axe-playwright-python==0.1.8 || [ "${CI:-}" != true ] || setup_fail "axe could not be installed"
    fi

    # The Autobahn test suite is written in Python 2: it is ported when it is installed.
    if [ -x "$venv/bin/python" ] && ! cmp -s "$port" "$venv/install_autobahn.py"; then
        echo "installing the Autobahn test suite into $venv" >&2
        if "$venv/bin/pip" download --quiet --disable-pip-version-check --no-deps --no-binary :all: \
            --dest "$venv/downloads" autobahntestsuite==25.10.1 &&
            "$venv/bin/python" "$port" "$venv"/downloads/autobahntestsuite-25.10.1.tar.gz >&2; then
            cp "$port" "$venv/install_autobahn.py"
        else
            [ "${CI:-}" = true ] && setup_fail "the Autobahn test suite could not be installed"
            echo "tools/test: the Autobahn test suite could not be installed; its tests will skip" >&2
            rm -f "$venv/bin/wstest"
        fi
    fi
}

# The drivers of engines have a virtual environment of their own: Ray is large, and nothing else needs it. CI must have it.
fleet=.build/fleet
setup_fleet() {
    setup_venv "$fleet" tools/fleet/requirements-test.txt tools/fleet/requirements.txt && return
    [ "${CI:-}" = true ] && setup_fail "the drivers of engines could not be installed"
    return 1
}

# The judges of packages, and bare systems to install them in. CI must have them.
packaging=.build/packaging
setup_packaging() {
    setup_venv "$packaging/venv" tools/packaging/requirements.txt || return 1
    (setup_packages debootstrap lintian ca-certificates libdeflate-tools) || return 1
    local suite
    for suite in bookworm trixie; do setup_bare_system $suite $suite --include=python3-venv || return 1; done
}
