import { openLedgerSnapshot } from '../../server/ledger/checks/ledger-snapshot.js';
import { describeOnEachDatabase } from '../../server/test/each-database.js';
import { eventually } from '../../server/test/eventually.js';
import { type Stack, startStack } from '../support/start-stack.js';
import { type Customer, createCustomer } from './create-customer.js';
import { countLeasedCalls, countOpenHolds } from './find-book-faults.js';

const settings = { SIGNUP_CREDITS: '1000', DEMO_PROVIDER: 'on' };
const body = JSON.stringify({ model: 'demo-small', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 5 });

/*
 * With the times that a server has when nobody sets them. On SQLite the next server of the file gives the credits back, on MySQL one that
 * runs beside.
 */
describeOnEachDatabase('what a killed server had leased', (openTestDatabase) => {
  const stacks: Stack[] = [];
  afterEach(async () => {
    for (const stack of stacks.splice(0)) await stack.stop();
  });

  const call = ({ baseUrl }: Stack, { apiKey }: Customer) =>
    fetch(`${baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
      body,
    }).then((response) => response.text());

  it('is back within a minute, to the millicredit, and its time is printed', async () => {
    const { address, kind } = await openTestDatabase();
    if (kind === 'mysql') stacks.push(await startStack(address, settings));
    const dead = await startStack(address, settings);
    const customer = await createCustomer(dead.baseUrl, 1);
    while ((await countLeasedCalls(address)) < 5) await call(dead, customer);
    expect(await countOpenHolds(address)).toBeGreaterThan(0);
    await dead.kill();
    const killedMs = performance.now();
    if (kind === 'sqlite') stacks.push(await startStack(address, settings));
    await eventually(async () => (await countOpenHolds(address)) === 0, 100);
    console.info(`${kind}: credits were locked for ${Math.round(performance.now() - killedMs)} ms`);
    const snapshot = await openLedgerSnapshot(address);
    const [sum] = await snapshot.query(
      `SELECT a.credits_posted - a.debits_posted - a.debits_pending + r.charged AS given FROM ledger_account a
       JOIN (SELECT account_id, SUM(charged_millicredits) AS charged FROM call_record GROUP BY account_id) r
       ON r.account_id = a.id WHERE a.id = '${customer.accountId}'`,
    );
    await snapshot.close();
    expect(Number(sum?.given)).toBe(1_000_000);
  }, 60_000);
});
