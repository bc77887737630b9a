// Buys credits for whole dollars. Where the checkout is simulated, it pays by itself; else it prints the page to pay at and
// waits until that was done.
//   TOLLGATE_URL=https://tollgate.example TOLLGATE_TOKEN=… node docs/examples/buy-credits.mjs 5
import { setTimeout as sleep } from 'node:timers/promises';

const { TOLLGATE_URL, TOLLGATE_TOKEN } = process.env;

async function ask(query, variables) {
  const response = await fetch(`${TOLLGATE_URL}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${TOLLGATE_TOKEN}` },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = await response.json();
  // GraphQL says no with status 200, so the answer itself has to be looked at.
  if (errors) throw new Error(errors.map(({ message }) => message).join('\n'));
  return data;
}

const start = `mutation Buy($dollars: Int!) {
  startCheckout(input: { dollars: $dollars }) { url purchase { id isSimulated } }
}`;
const confirm = `mutation Confirm($id: ID!) {
  confirmPurchase(id: $id) { id status dollars credits }
}`;

const { url, purchase } = (await ask(start, { dollars: Number(process.argv[2]) })).startCheckout;
if (purchase.isSimulated) {
  await fetch(`${TOLLGATE_URL}/checkout/simulated/${purchase.id}/pay`, { method: 'POST', redirect: 'manual' });
} else {
  console.log(`Pay here: ${url}`);
}

let confirmed = (await ask(confirm, { id: purchase.id })).confirmPurchase;
for (let tries = 0; confirmed.status === 'PENDING' && tries < 120; tries += 1) {
  await sleep(5_000);
  confirmed = (await ask(confirm, { id: purchase.id })).confirmPurchase;
}
console.log(`${confirmed.id}: ${confirmed.status}, ${confirmed.credits} credits for $${confirmed.dollars}`);
if (confirmed.status !== 'PAID') process.exit(1);
