#!/usr/bin/env bash
# Let the server judge one output, and read where the agent stands.
#   RENOWN_URL=http://127.0.0.1:4747 RENOWN_KEY=pk_live_… examples/post-from-curl.sh
set -euo pipefail

curl --silent --show-error --fail "$RENOWN_URL/v1/evaluate" \
  --header "Authorization: Bearer $RENOWN_KEY" \
  --header 'Content-Type: application/json' \
  --data '{ "agent_id": "curl-example", "output": "Your parcel arrives on Tuesday." }'
echo
curl --silent --show-error --fail "$RENOWN_URL/v1/reputation/curl-example" --header "Authorization: Bearer $RENOWN_KEY"
echo
