import { createId, leastIdAt } from '../../kernel/ids.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { LedgerFixture } from '../../test/ledger-fixture.js';
import { CallTimesReader, type CallTimesRow } from './call-times.js';

const nowMs = Date.UTC(2026, 4, 1, 12, 30);
const minuteMs = 60_000;

interface Receipt {
  readonly model?: string;
  readonly provider?: string;
  readonly outcome?: string;
  readonly agoMs: number;
  readonly totalMs: number;
  readonly firstByteMs: number | null;
  readonly attempts?: readonly { readonly provider: string; readonly errorCode: string | null }[];
}

describeOnEachDatabase('CallTimesReader', (openTestDatabase) => {
  const fixture = LedgerFixture.forAll(openTestDatabase);
  let reader: CallTimesReader;
  let accounts: { accountId: string; keyId: string }[];

  beforeAll(async () => {
    reader = new CallTimesReader(fixture.unitOfWork, { nowMs: () => nowMs });
    accounts = [await fixture.createFundedAccount(1), await fixture.createFundedAccount(1)];
  }, 60_000);
  afterEach(() => fixture.source.query('DELETE FROM call_record'));

  async function write(receipts: readonly Receipt[]): Promise<void> {
    const rows = receipts.map(({ model = 'small', provider = 'openai', outcome = 'completed', ...receipt }, at) => {
      const { accountId, keyId } = accounts[at % accounts.length] as { accountId: string; keyId: string };
      const startedAtMs = nowMs - receipt.agoMs;
      const id = leastIdAt('call', startedAtMs).slice(0, -16) + createId('call').slice(-16);
      const attempts = receipt.attempts === undefined ? 'NULL' : `'${JSON.stringify(receipt.attempts)}'`;
      const names = `'${id}', '${accountId}', '${keyId}', '${model}', '${provider}', 'lower', 1, 1, '${outcome}', 'none'`;
      return `(${names}, 0, 0, 0, 0, 0, ${startedAtMs}, ${receipt.firstByteMs ?? 'NULL'}, ${receipt.totalMs}, ${attempts})`;
    });
    const columns =
      'call_id, account_id, key_id, model, provider, tier, millicredits_per_token, is_streamed, outcome, usage_source, prompt_tokens, completion_tokens, held_millicredits, charged_millicredits, absorbed_millicredits, started_at_ms, first_byte_ms, total_ms, attempts';
    for (let first = 0; first < rows.length; first += 500) {
      await fixture.source.query(
        `INSERT INTO call_record (${columns}) VALUES ${rows.slice(first, first + 500).join(', ')}`,
      );
    }
  }
  const answered = (totalMs: number, agoMs = minuteMs): Receipt => ({ agoMs, totalMs, firstByteMs: totalMs / 10 });

  it('gives exact ranks, errors and attempts of all accounts, by provider and by model', async () => {
    const times = Array.from({ length: 100 }, (_, at) => answered((at + 1) * 10, 1_000 + (at % 59) * minuteMs));
    const groq = { provider: 'groq', model: 'large' };
    await write([
      ...times,
      {
        ...groq,
        ...answered(50),
        attempts: [
          { provider: 'openai', errorCode: 'upstream_error' },
          { provider: 'groq', errorCode: null },
        ],
      },
      {
        ...groq,
        agoMs: minuteMs,
        totalMs: 7,
        firstByteMs: null,
        outcome: 'failed',
        attempts: [{ provider: 'groq', errorCode: 'timeout' }],
      },
      { ...groq, agoMs: minuteMs, totalMs: 9_999, firstByteMs: 1, outcome: 'abandoned' },
      // An hour ago to the millisecond is in; one more is not.
      { ...groq, ...answered(70, 60 * minuteMs) },
      { ...groq, ...answered(90_000, 60 * minuteMs + 1) },
    ]);
    const openai: CallTimesRow = {
      ...{ name: 'openai', calls: 100, failedCalls: 0, attempts: 1, failedAttempts: 1 },
      ...{ p50Ms: 500, p95Ms: 950, p99Ms: 990, firstByteP50Ms: 50, firstByteP95Ms: 95 },
    };
    const other = {
      ...{ calls: 4, failedCalls: 1, p50Ms: 50, p95Ms: 70, p99Ms: 70, firstByteP50Ms: 5, firstByteP95Ms: 7 },
    };
    const found = await reader.read('provider', 'hour');
    expect(found).toEqual({
      ...{ fromMs: nowMs - 60 * minuteMs, toMs: nowMs, isSample: false, otherGroups: 0 },
      groups: [openai, { name: 'groq', attempts: 2, failedAttempts: 1, ...other }],
    });
    expect((await reader.read('model', 'hour')).groups).toEqual([
      { ...openai, name: 'small', attempts: 0, failedAttempts: 0 },
      { name: 'large', attempts: 3, failedAttempts: 2, ...other },
    ]);
    expect((await reader.read('model', 'day')).groups[1]).toMatchObject({ name: 'large', calls: 5, p99Ms: 90_000 });
  });

  it('looks at the newest calls of each part of the time where there are more, and says so', async () => {
    const busy = Array.from({ length: 1_001 }, () => answered(10, minuteMs));
    await write([...busy, answered(20, 50 * minuteMs)]);
    const { isSample, groups } = await reader.read('provider', 'hour');
    expect([isSample, groups[0]?.calls, groups[0]?.p99Ms]).toEqual([true, 1_001, 10]);
    expect(await reader.read('provider', 'day')).toMatchObject({ isSample: true });
  });

  it('says that there was nothing', async () => {
    expect((await reader.read('provider', 'day')).groups).toEqual([]);
  });
});
