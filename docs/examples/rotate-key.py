"""Gives an API key a new secret while its old one goes on working for an hour.

So nothing stands still: put the new one where the old one was, in your own time within that hour.

TOLLGATE_URL=https://tollgate.example TOLLGATE_TOKEN=… python3 docs/examples/rotate-key.py key_01KA…
"""

import json
import os
import sys
import urllib.request

ROTATE = """mutation Rotate($id: ID!) {
  rotateApiKey(id: $id, graceSeconds: 3600) { secret apiKey { id graceEndsAt } }
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


rotated = ask(ROTATE, {"id": sys.argv[1]})["rotateApiKey"]
# It is shown this once, so print it before anything else can fail.
print(rotated["secret"], flush=True)
check = urllib.request.Request(URL + "/v1/key", headers={"Authorization": "Bearer " + rotated["secret"]})
# Raises HTTPError if the new secret does not work. Then stay with the old one for now.
urllib.request.urlopen(check, timeout=30).close()
key = rotated["apiKey"]
print(f"{key['id']}: the new secret works; the old one ends at {key['graceEndsAt']}")
