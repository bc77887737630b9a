import { createId, leastIdAt } from '../../kernel/ids.js';
import { createLogger } from '../../kernel/logger.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { LedgerFixture } from '../../test/ledger-fixture.js';
import { type Refusal, RefusalLog, refusalsKeptMax, refusalsKeptMs } from './refusal-log.js';
import { RefusalReader } from './refusal-reader.js';

describeOnEachDatabase('RefusalLog', (openTestDatabase) => {
  const lines: string[] = [];
  const logger = createLogger('info', { destination: { write: (line: string) => lines.push(line) } });
  const clock = { nowMs: () => Date.now() };
  const fixture = LedgerFixture.forAll(openTestDatabase);
  let log: RefusalLog;
  let reader: RefusalReader;

  beforeAll(async () => {
    reader = new RefusalReader(fixture.unitOfWork);
  });
  beforeEach(() => {
    log = new RefusalLog(fixture.unitOfWork, clock, logger);
    lines.length = 0;
  });

  const refusalOf = (accountId: string, changes: Partial<Refusal> = {}): Refusal => ({
    ...{ id: createId('call'), accountId, keyId: 'key_1', status: 402, errorCode: 'insufficient_quota' },
    ...{ model: 'demo-small', param: null, wire: 'chat', ...changes },
  });
  const list = async (accountId: string) =>
    (await reader.listRefusals(accountId, { first: 100, beforeId: null })).items;

  it('keeps alike ones of the same seconds as one with their number, newest first, apart from other accounts', async () => {
    const accountId = createId('account');
    for (let n = 0; n < 50; n += 1) log.note(refusalOf(accountId));
    log.note(refusalOf(accountId, { status: 404, errorCode: 'model_not_found', model: 'gpt-9', param: 'model' }));
    log.note(refusalOf(createId('account')));
    await log.flush();
    expect(await list(accountId)).toMatchObject([
      { status: 404, errorCode: 'model_not_found', model: 'gpt-9', param: 'model', times: 1 },
      { status: 402, times: 50 },
    ]);
  });

  it('takes 20 kinds of one account and 500 of all at once, says how many it left out, and waits for nothing', async () => {
    const accountId = createId('account');
    for (let n = 0; n < 300; n += 1) log.note(refusalOf(accountId, { model: `model-${n}` }));
    for (let n = 0; n < 600; n += 1) log.note(refusalOf(createId('account')));
    await log.flush();
    expect(await list(accountId)).toHaveLength(20);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ event: 'refusals_not_kept', count: 280 + 120 });
  });

  it('keeps the newest 200 of an account, for 30 days', async () => {
    const accountId = createId('account');
    const old = `${leastIdAt('call', Date.now() - refusalsKeptMs - 60_000).slice(0, -1)}1`;
    log.note(refusalOf(accountId, { id: old }));
    await log.flush();
    for (let round = 0; round < 11; round += 1) {
      for (let n = 0; n < 20; n += 1) log.note(refusalOf(accountId, { model: `model-${round}-${n}` }));
      await log.flush();
    }
    const { items, hasNextPage } = await reader.listRefusals(accountId, { first: refusalsKeptMax, beforeId: null });
    expect([items.length, hasNextPage]).toEqual([refusalsKeptMax, false]);
    expect(items[0]?.model).toBe('model-10-19');
    expect(items.map(({ id }) => id)).not.toContain(old);
  });

  it('keeps of a model and a field only what they are called, cut to what the table holds', async () => {
    const accountId = createId('account');
    log.note(refusalOf(accountId, { model: '\u{1F600}'.repeat(500), param: 'my secret words' }));
    log.note(refusalOf(accountId, { model: 'a\u0000b', param: 'messages[0].content' }));
    await log.flush();
    const [second, first] = await list(accountId);
    expect([[...(first?.model ?? '')].length, first?.param]).toEqual([191, null]);
    expect([second?.model, second?.param]).toEqual([null, 'messages[0].content']);
  });

  it('drops and logs what the database does not take, and keeps what comes later', async () => {
    const accountId = createId('account');
    const refused = refusalOf(accountId);
    log.note(refused);
    await log.flush();
    log.note({ ...refused, status: 429 });
    await log.flush();
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ event: 'refusals_not_kept', count: 1 });
    log.note(refusalOf(accountId));
    await log.close();
    expect(await list(accountId)).toHaveLength(2);
  });
});
