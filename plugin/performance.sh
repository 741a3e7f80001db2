#!/usr/bin/env bash
# What `/performance [session-id]` runs: the newest session that can be found, or the one that is named.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
# shellcheck source=find-renown.sh
source "$here/find-renown.sh"

if [[ $# -gt 0 && -n $1 ]]; then
  exec "${renown[@]}" judge --session "$1" --format yaml
fi
exec "${renown[@]}" judge --format yaml
