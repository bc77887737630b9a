#!/usr/bin/env bash
# Prints what this month's calls have used, by model, as JSON.
#   TOLLGATE_URL=https://tollgate.example TOLLGATE_TOKEN=… docs/examples/read-usage.sh
set -euo pipefail

from="$(date -u +%Y-%m-01T00:00:00Z)"
to="$(date -u +%Y-%m-%dT23:59:59Z)"
body='{
  "query": "query Usage($input: UsageInput!) { usage(input: $input) { total { calls charged } groups { key sums { calls promptTokens completionTokens charged } } } }",
  "variables": { "input": { "from": "'"$from"'", "to": "'"$to"'", "bucket": "MONTH", "groupBy": "MODEL" } }
}'

answer="$(curl --silent --show-error --fail-with-body "$TOLLGATE_URL/graphql" \
  --header "Content-Type: application/json" \
  --header "Authorization: Bearer $TOLLGATE_TOKEN" \
  --data "$body")"

echo "$answer"
# GraphQL says no with status 200, so the answer itself has to be looked at.
[[ "$answer" != *'"errors"'* ]]
