import { findLedgerViolations } from '../../ledger/checks/check-ledger.js';
import { type TestAccount, TestApp } from '../../test/create-test-app.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { runCommand } from '../../test/run-command.js';
import { runProgram } from '../../test/run-program.js';
import { StripeDouble } from '../../test/stripe-double.js';
import type { ProgramOptions } from '../operator-program.js';
import { listPurchaseCommands } from './purchase-commands.js';

const reason = 'Charged twice';

describeOnEachDatabase('npm run tollgate -- purchase and event', (openTestDatabase) => {
  let double: StripeDouble;
  let account: TestAccount;

  beforeAll(async () => {
    double = await StripeDouble.start();
  });
  const app = TestApp.forAll(openTestDatabase, () => double.settings);
  afterAll(() => double.close());
  beforeEach(async () => {
    double.isAway = false;
    account = await app.createAccount(0);
  });

  /** A command as the program would run it: its exit status, and what it printed. */
  const run = (name: string, subject: string, options: ProgramOptions = {}) =>
    runCommand(listPurchaseCommands, app.database, { name, subject, options, settings: double.settings });
  const runJson = async (name: string, subject: string, options: ProgramOptions = {}) => {
    const { status, output } = await run(name, subject, { ...options, json: 'true' });
    return [status, JSON.parse(output)];
  };
  async function begin() {
    const { startCheckout } = await app.graphql<{ startCheckout: { purchase: { id: string }; url: string } }>(
      'mutation { startCheckout(input: { dollars: 5 }) { purchase { id } url } }',
      {},
      account.sessionToken,
    );
    const sessionId = startCheckout.url.slice(startCheckout.url.lastIndexOf('/') + 1);
    return { purchaseId: startCheckout.purchase.id, sessionId };
  }
  async function buy(): Promise<string> {
    const { purchaseId, sessionId } = await begin();
    await double.deliver(double.books.pay(sessionId), app.baseUrl);
    return purchaseId;
  }
  /** A payment whose amount is not that of its purchase. */
  async function setAside() {
    const { sessionId } = await begin();
    const event = double.books.pay(sessionId);
    const session = double.books.getSession(sessionId);
    session.amount_total = 1;
    await double.deliver(event, app.baseUrl);
    return { event, session };
  }
  const readPosted = async () => (await app.findWallet(account.accountId)).posted;
  const logged = async (subject: string) =>
    app.query(`SELECT action, actor, reason FROM operator_event WHERE subject = '${subject}' ORDER BY id`);

  it('gives money back with its credits, once for a word of --once, and writes down who did it and why', async () => {
    const purchaseId = await buy();
    const before = double.books.refunds.length;
    const options = { reason, cents: '200', once: 'T-1' };
    const [status, first] = await runJson('purchase refund', purchaseId, options);
    expect([status, first]).toMatchObject([
      0,
      { purchaseId, cents: 200, amountMillicredits: 2_000_000, state: 'done', fault: null },
    ]);
    expect(await runJson('purchase refund', purchaseId, options)).toEqual([0, first]);
    expect(double.books.refunds).toHaveLength(before + 1);
    expect(await readPosted()).toBe(3_000_000);
    expect(await logged(first.id)).toEqual([{ action: 'refund', actor: expect.stringContaining('@'), reason }]);
    const rest = await run('purchase refund', purchaseId, { reason });
    expect([rest.status, rest.output]).toEqual([0, expect.stringContaining(`300 cents of ${purchaseId} were given`)]);
    expect(await readPosted()).toBe(0);
    expect(await findLedgerViolations({ query: (sql) => app.query(sql) })).toEqual([]);
  }, 30_000);

  it('says of a refund that failed later, asked for by the same word, that nothing went back', async () => {
    const purchaseId = await buy();
    const options = { reason, once: 'T-2' };
    double.books.refundsAre = 'pending';
    const begun = await run('purchase refund', purchaseId, options);
    expect([begun.status, begun.output]).toEqual([
      0,
      expect.stringContaining(`500 cents of ${purchaseId} are on their way`),
    ]);
    const failed = double.books.failRefund(String(double.books.refunds.at(-1)?.id));
    await double.deliver(failed, app.baseUrl);
    const again = await run('purchase refund', purchaseId, options);
    expect([again.status, again.output]).toEqual([2, expect.stringContaining('500 cents were not given back')]);
    expect(await readPosted()).toBe(5_000_000);
    double.books.refundsAre = 'succeeded';
  }, 30_000);

  it('gives nothing back that Stripe refuses, that is not there or that nobody gives a reason for', async () => {
    const purchaseId = await buy();
    const [row] = await app.query(`SELECT gateway_session_id AS id FROM purchase WHERE id = '${purchaseId}'`);
    for (const [id, options, words] of [
      [purchaseId, {}, /Name --reason/],
      [purchaseId, { reason: ' x ' }, /A reason has 3 to 191/],
      [purchaseId, { reason, cents: '0' }, /--cents is a whole number/],
      [purchaseId, { reason, cents: '501' }, /Give back 1 to 500 cents/],
      [purchaseId, { reason, once: 'a b' }, /--once is a word/],
      ['pur_nobody', { reason }, /purchase/],
    ] as const) {
      await expect(async () => run('purchase refund', id, options)).rejects.toThrow(words);
    }
    // On Stripe's own page, and its news are late.
    double.books.refund(String(row?.id), 500);
    const refused = await run('purchase refund', purchaseId, { reason });
    expect([refused.status, refused.output]).toEqual([2, expect.stringContaining('charge_already_refunded')]);
    expect(await readPosted()).toBe(5_000_000);
  }, 30_000);

  it('lists events that were set aside, looks at one again and dismisses one, each in the log', async () => {
    const [wrong, other] = [await setAside(), await setAside()];
    const [status, listed] = await runJson('event list', '');
    const ids = listed.map(({ id }: { id: string }) => id);
    expect([status, ids]).toEqual([0, expect.arrayContaining([wrong.event.id, other.event.id])]);
    const still = await run('event retry', wrong.event.id);
    expect([still.status, still.output]).toEqual([2, expect.stringContaining('another amountCents')]);
    expect(await readPosted()).toBe(0);
    wrong.session.amount_total = 500;
    expect(await runJson('event retry', wrong.event.id)).toEqual([0, { id: wrong.event.id, fits: true, reason: null }]);
    expect(await readPosted()).toBe(5_000_000);
    await expect(run('event retry', wrong.event.id)).rejects.toThrow(/not set aside|no such/i);
    await expect(async () => run('event dismiss', other.event.id)).rejects.toThrow(/Name --reason/);
    expect((await run('event dismiss', other.event.id, { reason })).status).toBe(0);
    expect((await run('event list', '')).output).not.toContain(other.event.id);
    const actions = async (id: string) => (await logged(id.slice(0, 40))).map(({ action }) => action);
    expect(await actions(wrong.event.id)).toEqual(['retry_event', 'retry_event']);
    expect(await actions(other.event.id)).toEqual(['dismiss_event']);
  }, 30_000);

  it('is part of the program, whose usage names each command', async () => {
    const shown = await runProgram('tollgate.js', app.database.address, { words: ['event', 'list', '--json'] });
    expect([shown.exitCode, Array.isArray(JSON.parse(shown.output))]).toEqual([0, true]);
    const wrong = await runProgram('tollgate.js', app.database.address, { words: ['purchase', 'refund'] });
    expect([wrong.exitCode, wrong.log]).toEqual([1, expect.stringContaining('Name the purchase')]);
    const names = Object.keys(listPurchaseCommands(async () => {}));
    const { output: usage } = await runProgram('tollgate.js', app.database.address, { words: ['help'] });
    for (const name of names) expect(usage).toContain(name);
  }, 30_000);
});
