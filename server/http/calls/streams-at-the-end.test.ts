import { type TestAccount, TestApp } from '../../test/create-test-app.js';
import { describeOnEachDatabase } from '../../test/each-database.js';

const streams = 300;
const prompt = 'Please summarise the following report for the board of directors in plain words. '.repeat(40);
/** By OpenAI's tokenizer, a few for the frame of the message included. */
const promptTokens = 620;

interface Receipt {
  readonly outcome: string;
  readonly usage_source: string;
  readonly prompt_tokens: number | string;
}

describeOnEachDatabase('Streams that run when the server ends', (openTestDatabase) => {
  let app: TestApp;
  let account: TestAccount;
  beforeAll(async () => {
    app = await TestApp.start(await openTestDatabase());
    account = await app.createAccount(50);
  });

  it('are all settled before its end, each as if it had been alone', async () => {
    const readers = await Promise.all(Array.from({ length: streams }, () => openStream(app, account)));
    let receipts: Receipt[] = [];
    await app.closeKeeping(async () => {
      receipts = (await app.query('SELECT * FROM call_record')) as unknown as Receipt[];
    });
    await Promise.all(readers.map((reader) => reader?.cancel().catch(() => {})));
    expect(receipts).toHaveLength(streams);
    for (const { outcome, usage_source, prompt_tokens } of receipts) {
      expect({ outcome, usage_source }).toEqual({ outcome: 'abandoned', usage_source: 'estimated' });
      // On a machine that is busy with others a count may come too late, and the characters are taken in its place.
      expect(Number(prompt_tokens)).toBeGreaterThan(promptTokens / 1.5);
      expect(Number(prompt_tokens)).toBeLessThan(promptTokens * 1.5);
    }
  }, 60_000);
});

/** Asks for a stream that goes on and on, and reads its first piece. */
async function openStream(app: TestApp, account: TestAccount) {
  const messages = [{ role: 'user', content: `@@stall-mid ${prompt}` }];
  const response = await app.call(account.secret, { model: 'gpt-4o-mini', messages, stream: true, max_tokens: 20 });
  const reader = response.body?.getReader();
  await reader?.read();
  return reader;
}
