#!/usr/bin/env bash
# Makes an API key that may spend so many credits a month and only call models, and prints it with its secret, as JSON. The
# secret is shown this once. An account has one key where the operator does not allow more (MAX_KEYS_PER_ACCOUNT): with one already, the
# server refuses and says so; revoke it, or set the limit of that one in the dashboard.
#   TOLLGATE_URL=https://tollgate.example TOLLGATE_TOKEN=… docs/examples/limit-key.sh "batch jobs" 500
set -euo pipefail

# In JSON, backslashes and quotes stand behind a backslash.
name="${1//\\/\\\\}"
name="${name//\"/\\\"}"
body='{
  "query": "mutation Create($input: ApiKeyInput!) { createApiKey(input: $input) { secret apiKey { id name spendLimit spendPeriod spendResetsAt } } }",
  "variables": { "input": { "name": "'"$name"'", "scopes": ["CHAT"], "spendLimit": '"$2"', "spendPeriod": "MONTH" } }
}'

answer="$(curl --silent --show-error --fail-with-body "$TOLLGATE_URL/graphql" \
  --header "Content-Type: application/json" \
  --header "Authorization: Bearer $TOLLGATE_TOKEN" \
  --data "$body")"

echo "$answer"
# GraphQL says no with status 200, so the answer itself has to be looked at.
[[ "$answer" != *'"errors"'* ]]
