"""Makes an API key that may spend so many credits a month and only call models, and prints its id and its secret.

An account has one key where the operator does not allow more (MAX_KEYS_PER_ACCOUNT): with one already, the server refuses and says so;
revoke it, or set the limit of that one in the dashboard.

TOLLGATE_URL=https://tollgate.example TOLLGATE_TOKEN=… python3 docs/examples/limit-key.py "batch jobs" 500
"""

import json
import os
import sys
import urllib.request

CREATE = """mutation Create($input: ApiKeyInput!) {
  createApiKey(input: $input) { secret apiKey { id name spendLimit spendPeriod spendResetsAt } }
}"""


def ask(query, variables):
    request = urllib.request.Request(
        os.environ["TOLLGATE_URL"] + "/graphql",
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


name, credits = sys.argv[1:]
limit = {"spendLimit": float(credits), "spendPeriod": "MONTH"}
created = ask(CREATE, {"input": {"name": name, "scopes": ["CHAT"], **limit}})["createApiKey"]
key = created["apiKey"]
print(f"{key['id']}: {key['spendLimit']} credits a {key['spendPeriod']}, anew at {key['spendResetsAt']}")
# It is shown this once.
print(created["secret"])
