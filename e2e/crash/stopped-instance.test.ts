import { describeOnMysql } from '../../server/test/each-database.js';
import { stretched } from '../../server/test/wait-factor.js';
import { type Stack, startStack } from '../support/start-stack.js';
import { askGraphql, type Customer, createCustomer } from './create-customer.js';

const rounds = Number(process.env.TOLLGATE_STOPPED_ROUNDS ?? 2);
const settings = { SIGNUP_CREDITS: '100', SIGNUPS_PER_HOUR: '100000', DEMO_PROVIDER: 'on', RATE_LIMIT_STORE: 'mysql' };
const body = JSON.stringify({ model: 'demo-small', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 5 });

/** A whole server that the system has stopped: its beats stand still, and it goes on as if nothing had been. */
describeOnMysql('a server that is stopped while a key is revoked on another one', (openTestDatabase) => {
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
      const { address } = await openTestDatabase();
      const [one, stopped] = [await startStack(address, settings), await startStack(address, settings)];
      stacks = [one, stopped];
      for (let round = 0; round < rounds; round += 1) {
        const customer = await createCustomer(one.baseUrl, round);
        for (const stack of stacks) expect(await call(stack, customer)).toBe(200);
        process.kill(stopped.pid, 'SIGSTOP');
        await revoke(one, customer);
        // They lie in its sockets when it goes on, before it could read anything.
        const arriving = Array.from({ length: 20 }, () => call(stopped, customer));
        await new Promise((resolve) => setTimeout(resolve, 50));
        process.kill(stopped.pid, 'SIGCONT');
        expect(await Promise.all(arriving)).toEqual(Array(20).fill(401));
        expect(await call(one, customer)).toBe(401);
      }
    },
    stretched(60_000),
  );
});

async function revoke({ baseUrl }: Stack, { sessionToken }: Customer): Promise<void> {
  const { apiKeys } = await askGraphql<{ apiKeys: { id: string }[] }>(baseUrl, '{ apiKeys { id } }', { sessionToken });
  const variables = { id: String(apiKeys[0]?.id) };
  await askGraphql(baseUrl, 'mutation ($id: ID!) { revokeApiKey(id: $id) { id } }', { variables, sessionToken });
}
