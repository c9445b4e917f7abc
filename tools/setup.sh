#!/usr/bin/env bash
# Installs the Debian 12 packages that are missing, and only those:
#   tools/setup.sh build    packages to build and run the server
#   tools/setup.sh package  also those to make packages
#   tools/setup.sh check    instead those for the checks and our unit tests
#   tools/setup.sh [test]   all of these, and the toolchains of the SDK suites
# If nothing is missing, it needs neither root nor the network.
set -euo pipefail

build_packages=(
    g++ make cmake ninja-build ccache mold
    libboost1.81-dev libssl-dev librocksdb-dev libsimdjson-dev libcli11-dev libspdlog-dev libfmt-dev
    libicu-dev libpcre2-dev libmozjs-102-dev libjemalloc-dev zlib1g-dev libzstd-dev libedit-dev
    librados-dev
)
check_packages=(libgtest-dev libgmock-dev clang-14 libclang-rt-14-dev clang-format-14 clang-tidy-14 git)
# Clusters of the tests, and what happens to them.
cluster_packages=(ceph-mon ceph-osd ceph-common iproute2)
package_packages=(dpkg-dev binutils patchelf)
# What the tests of the packages need.
install_packages=(adduser man-db systemd)
# Checks the model of the cluster's protocol.
model_packages=(spin gcc)

# True if the command exists in at least this version, from whatever source.
has() {
    local command=$1 minimum=$2 found
    shift 2
    found=$("$command" "$@" 2>&1 | grep -oE '[0-9]+(\.[0-9]+)*' | head -n 1) || return 1
    [ "$(printf '%s\n%s\n' "$minimum" "$found" | sort -V | head -n 1)" = "$minimum" ]
}

# The toolchains of the SDK suites (tests/sdk/run.py has the versions).
add_sdk_toolchains() {
    has python3 3.9 -c 'import ensurepip, venv, sys; print(sys.version)' || packages+=(python3-venv)
    has javac 11 -version || packages+=(openjdk-17-jdk-headless)
    command -v mvn >/dev/null || packages+=(maven)
}

# Debian 12 has Node 18, Go 1.19 and Rust 1.63, which the current SDKs do not take.
name_missing_toolchains() {
    has node 20 --version ||
        echo "setup: no Node.js 20 or newer (nodejs.org): the js and documentdb suites will be skipped"
    has go 1.25 env GOVERSION ||
        echo "setup: no Go 1.25 or newer (go.dev): the go suite and the checker of tests/cluster will be skipped"
    has cargo 1.88 --version ||
        echo "setup: no Rust 1.88 or newer (rust-lang.org): the rust suite will be skipped"
}

install() {
    echo "setup: installing $*"
    local root=()
    if ! command -v apt-get >/dev/null; then
        echo "setup: apt-get not found; install the equivalents of these Debian 12 packages, and build with cmake" >&2
        exit 1
    elif [ "$(id -u)" -ne 0 ]; then
        root=(sudo)
        command -v sudo >/dev/null || {
            echo "setup: needs root or sudo; run as root: apt-get install $*" >&2
            exit 1
        }
    fi
    "${root[@]}" apt-get update -q
    "${root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -q -y --no-install-recommends "$@"
}

packages=("${build_packages[@]}")
has python3 3.9 --version || packages+=(python3)
case "${1:-test}" in
    build) ;;
    check) packages+=("${check_packages[@]}") ;;
    test)
        packages+=("${check_packages[@]}" "${cluster_packages[@]}" "${package_packages[@]}"
                   "${install_packages[@]}" "${model_packages[@]}")
        add_sdk_toolchains
        ;;
    package) packages+=("${package_packages[@]}") ;;
    *)
        echo "usage: tools/setup.sh [build|package|check|test]" >&2
        exit 2
        ;;
esac

missing=()
for package in "${packages[@]}"; do
    status=$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$status" = installed ] || missing+=("$package")
done
[ "${#missing[@]}" -eq 0 ] || install "${missing[@]}"
[ "${1:-test}" != test ] || name_missing_toolchains
