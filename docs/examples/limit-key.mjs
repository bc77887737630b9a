// Makes an API key that may spend so many credits a month and only call models, and prints its id and its secret. An account has one
// key where the operator does not allow more (MAX_KEYS_PER_ACCOUNT): with one already, the server refuses and says so; revoke it, or set
// the limit of that one in the dashboard.
//   TOLLGATE_URL=https://tollgate.example TOLLGATE_TOKEN=… node docs/examples/limit-key.mjs "batch jobs" 500
const { TOLLGATE_URL, TOLLGATE_TOKEN } = process.env;

const create = `mutation Create($input: ApiKeyInput!) {
  createApiKey(input: $input) { secret apiKey { id name spendLimit spendPeriod spendResetsAt } }
}`;
const [name, credits] = process.argv.slice(2);
const input = { name, scopes: ['CHAT'], spendLimit: Number(credits), spendPeriod: 'MONTH' };

const response = await fetch(`${TOLLGATE_URL}/graphql`, {
  method: 'POST',
  headers: { 'content-type': 'application/json', authorization: `Bearer ${TOLLGATE_TOKEN}` },
  body: JSON.stringify({ query: create, variables: { input } }),
});
const { data, errors } = await response.json();
// GraphQL says no with status 200, so the answer itself has to be looked at.
if (errors) throw new Error(errors.map(({ message }) => message).join('\n'));

const { apiKey, secret } = data.createApiKey;
console.log(`${apiKey.id}: ${apiKey.spendLimit} credits a ${apiKey.spendPeriod}, anew at ${apiKey.spendResetsAt}`);
// It is shown this once.
console.log(secret);
