#!/usr/bin/env bash
# Gives an API key a new secret while its old one goes on working for an hour, so that nothing stands still: put the new one
# where the old one was, in your own time within that hour. Prints the answer as JSON; the secret is shown this once.
#   TOLLGATE_URL=https://tollgate.example TOLLGATE_TOKEN=… docs/examples/rotate-key.sh key_01KA…
set -euo pipefail

body='{
  "query": "mutation Rotate($id: ID!) { rotateApiKey(id: $id, graceSeconds: 3600) { secret apiKey { id graceEndsAt } } }",
  "variables": { "id": "'"$1"'" }
}'
answer="$(curl --silent --show-error --fail-with-body "$TOLLGATE_URL/graphql" \
  --header "Content-Type: application/json" \
  --header "Authorization: Bearer $TOLLGATE_TOKEN" \
  --data "$body")"

echo "$answer"
# GraphQL says no with status 200, so the answer itself has to be looked at.
[[ "$answer" != *'"errors"'* ]]

# Fails if the new secret does not work. Then stay with the old one for now.
secret="$(sed -E 's/.*"secret":"([^"]+)".*/\1/' <<<"$answer")"
curl --silent --show-error --fail --output /dev/null "$TOLLGATE_URL/v1/key" --header "Authorization: Bearer $secret"
