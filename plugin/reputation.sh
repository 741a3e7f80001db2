#!/usr/bin/env bash
# What `/reputation [agent]` runs: all five scores of an agent, of Claude Code itself when none is named.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
# shellcheck source=find-renown.sh
source "$here/find-renown.sh"

exec "${renown[@]}" card "${1:-claude-code}" --json
