import { describeOnEachDatabase } from '../../server/test/each-database.js';
import { type Stack, startStack } from '../support/start-stack.js';
import { askGraphql, type Customer, createCustomer } from './create-customer.js';

/** TOLLGATE_STOPPED_ROUNDS=100 for a long run. */
const rounds = Number(process.env.TOLLGATE_STOPPED_ROUNDS ?? 2);
const many = '1000000';
const settings = {
  ...{ SIGNUP_CREDITS: '100', SIGNUP_GIFTS_PER_NETWORK: many, SIGNUP_GIFTS_PER_HOUR: many, DEMO_PROVIDER: 'on' },
};
const body = JSON.stringify({ model: 'demo-small', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 5 });

/*
 * A whole server that the system has stopped: its signs of life stand still, and it goes on as if nothing had been. On SQLite there is
 * no second one, and the revocation holds on the only one.
 */
describeOnEachDatabase('a server that is stopped while a key is revoked on another one', (openTestDatabase) => {
  let stacks: Stack[] = [];
  afterEach(async () => {
    for (const { pid } of stacks) process.kill(pid, 'SIGCONT');
    for (const stack of stacks) await stack.stop();
    stacks = [];
  });

  const call = ({ baseUrl }: Stack, { apiKey }: Customer) =>
    fetch(`${baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
      body,
    }).then(({ status }) => status);

  it(
    'is waited for no longer than it has its right, and lets no call in by that key when it goes on',
    async () => {
      const { address, kind } = await openTestDatabase();
      const one = await startStack(address, settings);
      stacks = [one];
      const other = kind === 'mysql' ? await startStack(address, settings) : null;
      if (other) stacks.push(other);
      const signal = (name: 'SIGSTOP' | 'SIGCONT') => other && process.kill(other.pid, name);
      for (let round = 0; round < rounds; round += 1) {
        const customer = await createCustomer(one.baseUrl, round);
        for (const stack of stacks) expect(await call(stack, customer)).toBe(200);
        signal('SIGSTOP');
        await revoke(one, customer);
        // They lie in its sockets when it goes on, before it could read anything.
        const arriving = Array.from({ length: 20 }, () => call(other ?? one, customer));
        await new Promise((resolve) => setTimeout(resolve, 50));
        signal('SIGCONT');
        expect(await Promise.all(arriving)).toEqual(Array(20).fill(401));
        expect(await call(one, customer)).toBe(401);
      }
    },
    30_000 + rounds * 15_000,
  );
});

async function revoke({ baseUrl }: Stack, { sessionToken }: Customer): Promise<void> {
  const { apiKeys } = await askGraphql<{ apiKeys: { id: string }[] }>(baseUrl, '{ apiKeys { id } }', { sessionToken });
  const variables = { id: String(apiKeys[0]?.id) };
  await askGraphql(baseUrl, 'mutation ($id: ID!) { revokeApiKey(id: $id) { id } }', { variables, sessionToken });
}
