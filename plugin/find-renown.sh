# Sets `renown` to the command line of the program: RENOWN_BIN, one beside this folder (a checkout or the installed
# package), or the one on the PATH.
beside="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/bin/renown.js"
if [[ -n ${RENOWN_BIN:-} ]]; then
  renown=("$RENOWN_BIN")
elif [[ -f $beside ]]; then
  renown=(node "$beside")
elif command -v renown >/dev/null; then
  renown=(renown)
else
  echo "renown is not installed: run \`npm install -g renown\`, or set RENOWN_BIN." >&2
  exit 127
fi
