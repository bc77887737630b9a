// Prints what this month's calls have used, by model.
//   TOLLGATE_URL=https://tollgate.example TOLLGATE_TOKEN=… node docs/examples/read-usage.mjs
const { TOLLGATE_URL, TOLLGATE_TOKEN } = process.env;

const query = `query Usage($input: UsageInput!) {
  usage(input: $input) {
    total { calls charged }
    groups { key sums { calls promptTokens completionTokens charged } }
  }
}`;
const now = new Date();
const from = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1)).toISOString();
const input = { from, to: now.toISOString(), bucket: 'MONTH', groupBy: 'MODEL' };

const response = await fetch(`${TOLLGATE_URL}/graphql`, {
  method: 'POST',
  headers: { 'content-type': 'application/json', authorization: `Bearer ${TOLLGATE_TOKEN}` },
  body: JSON.stringify({ query, variables: { input } }),
});
const { data, errors } = await response.json();
// GraphQL says no with status 200, so the answer itself has to be looked at.
if (errors) throw new Error(errors.map(({ message }) => message).join('\n'));

for (const { key, sums } of data.usage.groups) {
  console.log(
    `${key}: ${sums.calls} calls, ${sums.promptTokens + sums.completionTokens} tokens, ${sums.charged} credits`,
  );
}
console.log(`total: ${data.usage.total.calls} calls, ${data.usage.total.charged} credits`);
