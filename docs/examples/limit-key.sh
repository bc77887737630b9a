#!/usr/bin/env bash
# Makes an API key that may spend so many credits a month and only call models, and prints it with its secret, as JSON. The
# secret is shown this once.
#   TOLLGATE_URL=https://tollgate.example TOLLGATE_TOKEN=… docs/examples/limit-key.sh "batch jobs" 500
set -euo pipefail

body='{
  "query": "mutation Create($input: ApiKeyInput!) { createApiKey(input: $input) { secret apiKey { id name spendLimit spendPeriod spendResetsAt } } }",
  "variables": { "input": { "name": "'"$1"'", "scopes": ["CHAT"], "spendLimit": '"$2"', "spendPeriod": "MONTH" } }
}'

answer="$(curl --silent --show-error --fail-with-body "$TOLLGATE_URL/graphql" \
  --header "Content-Type: application/json" \
  --header "Authorization: Bearer $TOLLGATE_TOKEN" \
  --data "$body")"

echo "$answer"
# GraphQL says no with status 200, so the answer itself has to be looked at.
[[ "$answer" != *'"errors"'* ]]
