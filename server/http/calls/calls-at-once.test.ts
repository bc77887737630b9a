import { type TestAccount, TestApp } from '../../test/create-test-app.js';
import { describeOnEachDatabase, type TestDatabase } from '../../test/each-database.js';
import { eventually } from '../../test/eventually.js';
import { repetitions } from '../../test/sample.js';
import { changeKey } from '../../test/test-keys.js';

/** CALLS_AT_ONCE_ROUNDS=20 is the full length. */
const rounds = Number(process.env.CALLS_AT_ONCE_ROUNDS ?? repetitions({ usual: 1, all: 3 }));
const callsAtOnce = 500;
const limitedCalls = 10;
// 64 + 16 + 13 bytes of prompt and 10 tokens of answer, at 1 millicredit; the provider reports exactly as many.
const heldMillicredits = 103;
const question = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: '@@usage=93,10' }], max_tokens: 10 };

/** On SQLite as well: what several processes of one file may not do, several instances in one process may. */
async function startInstances(database: TestDatabase, count: number): Promise<readonly TestApp[]> {
  const apps = [await TestApp.start(database)];
  while (apps.length < count) apps.push(await TestApp.startBeside(database));
  return apps;
}

describeOnEachDatabase(`${callsAtOnce} calls at once, ${rounds} rounds,`, (openTestDatabase) => {
  const forms = [1, 2, 4].flatMap((instances) => [false, true].map((stream) => ({ instances, stream })));

  describe.each(forms)('on $instances instances, streamed: $stream,', ({ instances, stream }) => {
    let apps: readonly TestApp[] = [];
    const main = () => apps[0] as TestApp;
    beforeAll(async () => {
      apps = await startInstances(await openTestDatabase(), instances);
    }, 60_000);
    // The first one drops the database, so it goes last.
    afterAll(async () => {
      for (const app of [...apps].reverse()) await app.close();
    }, 60_000);

    const countSent = () => apps.reduce((sum, { upstream }) => sum + upstream.requests.length, 0);
    /** Asks one of the instances, and again where it is too busy; a refusal says by its header whether to come again. */
    const call = async ({ secret }: TestAccount, number: number) => {
      const app = apps[number % apps.length] as TestApp;
      let response = await app.call(secret, { ...question, stream });
      while (response.status === 503) {
        await response.text();
        response = await app.call(secret, { ...question, stream });
      }
      await response.text();
      return { status: response.status, isFinal: response.headers.get('x-should-retry') !== 'true' };
    };
    const callAtOnce = async (account: TestAccount) => {
      const answers = await Promise.all(Array.from({ length: callsAtOnce }, (_, number) => call(account, number)));
      const passed = answers.filter(({ status }) => status === 200).length;
      expect(answers.filter(({ status }) => status === 402)).toHaveLength(callsAtOnce - passed);
      return passed;
    };
    const timeoutMs = 60_000 + rounds * 30_000;

    it(
      'with a balance for one: one goes upstream, the others are told 402',
      async () => {
        for (let round = 0; round < rounds; round += 1) {
          const account = await main().createAccount(0);
          await main().setBalance(account.accountId, heldMillicredits);
          const sentBefore = countSent();
          expect(await callAtOnce(account)).toBe(1);
          expect(countSent() - sentBefore).toBe(1);
          for (const app of apps) await app.returnLeases(account.accountId);
          expect(await main().findWallet(account.accountId)).toEqual({ posted: 0, pending: 0 });
        }
      },
      timeoutMs,
    );

    it(
      'with a key whose limit is for ten: ten go upstream, and no more when it is asked again',
      async () => {
        for (let round = 0; round < rounds; round += 1) {
          const account = await main().createAccount(5);
          const spendLimit = (heldMillicredits * limitedCalls + 50) / 1_000;
          await changeKey(main(), account, { spendLimit, spendPeriod: 'MONTH' });
          const sentBefore = countSent();
          let passed = await callAtOnce(account);
          expect(passed).toBeLessThanOrEqual(limitedCalls);
          // What was refused because others had reserved is to come again, until the limit itself refuses.
          let number = 0;
          await eventually(async () => {
            number += 1;
            const { status, isFinal } = await call(account, number);
            if (status === 200) passed += 1;
            return status === 402 && isFinal;
          });
          expect(passed).toBe(limitedCalls);
          expect(countSent() - sentBefore).toBe(limitedCalls);
          for (const app of apps) await app.returnLeases(account.accountId);
          const posted = 5_000_000 - limitedCalls * heldMillicredits;
          expect(await main().findWallet(account.accountId)).toEqual({ posted, pending: 0 });
        }
      },
      timeoutMs,
    );
  });
});
