// Gives an API key a new secret while its old one goes on working for an hour, so that nothing stands still: put the new one
// where the old one was, in your own time within that hour.
//   TOLLGATE_URL=https://tollgate.example TOLLGATE_TOKEN=… node docs/examples/rotate-key.mjs key_01KA…
const { TOLLGATE_URL, TOLLGATE_TOKEN } = process.env;

const rotate = `mutation Rotate($id: ID!) {
  rotateApiKey(id: $id, graceSeconds: 3600) { secret apiKey { id graceEndsAt } }
}`;
const response = await fetch(`${TOLLGATE_URL}/graphql`, {
  method: 'POST',
  headers: { 'content-type': 'application/json', authorization: `Bearer ${TOLLGATE_TOKEN}` },
  body: JSON.stringify({ query: rotate, variables: { id: process.argv[2] } }),
});
const { data, errors } = await response.json();
// GraphQL says no with status 200, so the answer itself has to be looked at.
if (errors) throw new Error(errors.map(({ message }) => message).join('\n'));
const { apiKey, secret } = data.rotateApiKey;

// It is shown this once, so print it before anything else can fail.
console.log(secret);
const check = await fetch(`${TOLLGATE_URL}/v1/key`, { headers: { authorization: `Bearer ${secret}` } });
if (!check.ok) throw new Error(`The new secret is answered ${check.status}. Stay with the old one for now.`);
console.log(`${apiKey.id}: the new secret works; the old one ends at ${apiKey.graceEndsAt}`);
