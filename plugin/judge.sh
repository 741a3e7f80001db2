#!/usr/bin/env bash
# judge.sh [logs] [session_file]: the verdict on the newest session of a collector's file, as YAML. It takes the arguments
# of the script it replaces: the logs of the collector, and masque's session file.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
# shellcheck source=find-renown.sh
source "$here/find-renown.sh"

arguments=(judge)
[[ -n ${1:-} ]] && arguments+=("$1")
# The script that was replaced did not mind a session file that is not there: nobody wears a masque then.
[[ -n ${2:-} && -e $2 ]] && arguments+=(--masque-file "$2")
exec "${renown[@]}" "${arguments[@]}" --format yaml
