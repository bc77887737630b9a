#!/usr/bin/env bash
# Buys credits for whole dollars and prints the purchase as JSON. Where the checkout is simulated, it pays by itself; else it
# prints the page to pay at and waits until that was done.
#   TOLLGATE_URL=https://tollgate.example TOLLGATE_TOKEN=… docs/examples/buy-credits.sh 5
set -euo pipefail

ask() {
  local answer
  answer="$(curl --silent --show-error --fail-with-body "$TOLLGATE_URL/graphql" \
    --header "Content-Type: application/json" \
    --header "Authorization: Bearer $TOLLGATE_TOKEN" \
    --data "$1")"
  # GraphQL says no with status 200, so the answer itself has to be looked at.
  if [[ "$answer" == *'"errors"'* ]]; then
    echo "$answer" >&2
    exit 1
  fi
  echo "$answer"
}

checkout="$(ask '{"query": "mutation Buy($dollars: Int!) { startCheckout(input: { dollars: $dollars }) { url purchase { id isSimulated } } }", "variables": {"dollars": '"$1"'}}')"
id="$(sed -E 's/.*"id":"(pur_[0-9A-Z]+)".*/\1/' <<<"$checkout")"

if [[ "$checkout" == *'"isSimulated":true'* ]]; then
  curl --silent --show-error --output /dev/null --request POST "$TOLLGATE_URL/checkout/simulated/$id/pay"
else
  echo "Pay here: $(sed -E 's/.*"url":"([^"]+)".*/\1/' <<<"$checkout")" >&2
fi

for _ in $(seq 120); do
  purchase="$(ask '{"query": "mutation Confirm($id: ID!) { confirmPurchase(id: $id) { id status dollars credits } }", "variables": {"id": "'"$id"'"}}')"
  [[ "$purchase" != *'"status":"PENDING"'* ]] && break
  sleep 5
done
echo "$purchase"
[[ "$purchase" == *'"status":"PAID"'* ]]
