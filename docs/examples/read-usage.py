"""Prints what this month's calls have used, by model.

TOLLGATE_URL=https://tollgate.example TOLLGATE_TOKEN=… python3 docs/examples/read-usage.py
"""

import json
import os
import urllib.request
from datetime import datetime, timezone

QUERY = """query Usage($input: UsageInput!) {
  usage(input: $input) {
    total { calls charged }
    groups { key sums { calls promptTokens completionTokens charged } }
  }
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


now = datetime.now(timezone.utc)
month = now.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
span = {"from": month.strftime("%Y-%m-%dT%H:%M:%SZ"), "to": now.strftime("%Y-%m-%dT%H:%M:%SZ")}
usage = ask(QUERY, {"input": {**span, "bucket": "MONTH", "groupBy": "MODEL"}})["usage"]

for group in usage["groups"]:
    sums = group["sums"]
    tokens = sums["promptTokens"] + sums["completionTokens"]
    print(f"{group['key']}: {sums['calls']} calls, {tokens} tokens, {sums['charged']} credits")
print(f"total: {usage['total']['calls']} calls, {usage['total']['charged']} credits")
