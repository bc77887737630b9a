"""Buys credits for whole dollars.

Where the checkout is simulated, it pays by itself; else it prints the page to pay at and waits until that was done.

TOLLGATE_URL=https://tollgate.example TOLLGATE_TOKEN=… python3 docs/examples/buy-credits.py 5
"""

import json
import os
import sys
import time
import urllib.error
import urllib.request

START = """mutation Buy($dollars: Int!) {
  startCheckout(input: { dollars: $dollars }) { url purchase { id isSimulated } }
}"""
CONFIRM = """mutation Confirm($id: ID!) {
  confirmPurchase(id: $id) { id status dollars credits }
}"""
URL = os.environ["TOLLGATE_URL"]


def ask(query, variables):
    request = urllib.request.Request(
        URL + "/graphql",
        data=json.dumps({"query": query, "variables": variables}).encode(),
        headers={
            "Content-Type": "application/json",
            "Authorization": "Bearer " + os.environ["TOLLGATE_TOKEN"],
        },
    )
    with urllib.request.urlopen(request, timeout=30) as response:
        answer = json.load(response)
    # GraphQL says no with status 200, so the answer itself has to be looked at.
    if "errors" in answer:
        raise SystemExit("\n".join(error["message"] for error in answer["errors"]))
    return answer["data"]


class StayHere(urllib.request.HTTPRedirectHandler):
    """The pay button leads to a page for people, which a script has no use for."""

    def redirect_request(self, *args, **kwargs):
        return None


def pay(purchase_id):
    request = urllib.request.Request(f"{URL}/checkout/simulated/{purchase_id}/pay", method="POST")
    try:
        urllib.request.build_opener(StayHere).open(request, timeout=30)
    except urllib.error.HTTPError as answer:
        if answer.code != 303:
            raise


checkout = ask(START, {"dollars": int(sys.argv[1])})["startCheckout"]
purchase_id = checkout["purchase"]["id"]
if checkout["purchase"]["isSimulated"]:
    pay(purchase_id)
else:
    print("Pay here:", checkout["url"])

purchase = ask(CONFIRM, {"id": purchase_id})["confirmPurchase"]
for _ in range(120):
    if purchase["status"] != "PENDING":
        break
    time.sleep(5)
    purchase = ask(CONFIRM, {"id": purchase_id})["confirmPurchase"]
print(f"{purchase['id']}: {purchase['status']}, {purchase['credits']} credits for ${purchase['dollars']}")
sys.exit(0 if purchase["status"] == "PAID" else 1)
