import { FakeClock } from '../../kernel/clock.js';
import { createId, leastIdAt } from '../../kernel/ids.js';
import type { CallEnding } from '../../ledger/ledger-types.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { endingWith, LedgerFixture } from '../../test/ledger-fixture.js';
import { ServiceMeasures } from './service-measures.js';

const hourMs = 3_600_000;
const noon = Date.UTC(2026, 10, 20, 12, 30);

describeOnEachDatabase('ServiceMeasures', (openTestDatabase) => {
  const fixture = LedgerFixture.forEach(openTestDatabase);
  let account: { accountId: string; keyId: string };
  let clock: FakeClock;
  let queries: number;
  let measures: ServiceMeasures;

  beforeEach(async () => {
    account = await fixture.createFundedAccount(1_000_000);
    clock = new FakeClock(noon);
    queries = 0;
    measures = new ServiceMeasures((read) => {
      queries += 1;
      return read(fixture.unitOfWork);
    }, clock);
  });

  async function call(startedAtMs: number, change: Partial<CallEnding> = {}) {
    const callId = leastIdAt('call', startedAtMs).slice(0, -16) + createId('call').slice(-16);
    const ending = { ...endingWith(1, 1), provider: 'openai', firstByteMs: 100, totalMs: 1_000, ...change };
    await fixture.call(account, ending, { callId, heldMillicredits: 10, startedAtMs });
  }
  const many = async (count: number, startedAtMs: number, change?: Partial<CallEnding>) => {
    for (let n = 0; n < count; n += 1) await call(startedAtMs + n, change);
  };
  const attempt = (provider: string, errorCode: string | null) => ({
    ...{ provider, upstreamModel: 'm', status: errorCode ? 500 : 200, errorCode, durationMs: 5 },
  });
  const findProvider = async (name: string) =>
    (await measures.measure()).providers.find((one) => one.provider === name);

  it('counts each attempt for the provider that was asked, and times for the one that answered', async () => {
    const moved = [attempt('openai', 'provider_unavailable'), attempt('groq', null)];
    await many(12, noon - 2 * hourMs, { provider: 'groq', attempts: moved });
    await many(30, noon - 3 * hourMs, { attempts: [attempt('openai', null)] });
    expect(await findProvider('openai')).toMatchObject({ uptimePercent: 71.42, p50Ms: 1_000, firstByteP50Ms: 100 });
    const groq = await findProvider('groq');
    expect(groq).toMatchObject({ uptimePercent: 100, p95Ms: 1_000 });
    expect(groq?.models).toEqual([expect.objectContaining({ model: 'demo-small', uptimePercent: 100 })]);
    expect([groq?.days.length, groq?.days.at(-1)?.uptimePercent, groq?.days[0]?.uptimePercent]).toEqual([
      30,
      100,
      null,
    ]);
  });

  it('blames no provider for what a caller did wrong, and times no answer that was cut', async () => {
    const nothing = { promptTokens: 0, completionTokens: 0, outcome: 'failed' as const };
    await many(10, noon - hourMs, { ...nothing, errorCode: 'provider_rejected', totalMs: 9_999 });
    await many(10, noon - hourMs, { outcome: 'abandoned', totalMs: 9_999 });
    expect(await findProvider('openai')).toMatchObject({ uptimePercent: 100, p50Ms: null });
    clock.advanceMs(24 * hourMs);
    await many(10, clock.nowMs() - 2 * hourMs, { ...nothing, errorCode: 'provider_timeout' });
    const later = new ServiceMeasures((read) => read(fixture.unitOfWork), clock);
    expect((await later.measure()).providers).toMatchObject([{ uptimePercent: 66.66, p50Ms: null }]);
  });

  it('says nothing of a provider that was asked less than ten times, and nothing of an account', async () => {
    await many(9, noon - hourMs);
    const openai = await findProvider('openai');
    expect(openai).toMatchObject({ uptimePercent: null, p50Ms: null });
    expect(JSON.stringify(await measures.measure())).not.toMatch(/acct_|key_|"(calls|attempts|samples)/);
  });

  it('asks the database once a minute, whoever asks, and never again for hours that are over', async () => {
    await many(10, noon - 40 * 24 * hourMs);
    await many(10, noon - 5 * hourMs);
    const reports = await Promise.all(Array.from({ length: 20 }, () => measures.measure()));
    expect(new Set(reports).size).toBe(1);
    const first = queries;
    expect(first).toBe(Math.ceil((29 * 24 + 13) / 12));
    clock.advanceMs(59_000);
    await measures.measure();
    expect(queries).toBe(first);
    clock.advanceMs(2_000);
    await measures.measure();
    await measures.measure();
    expect(queries).toBe(first + 1);
    // What is older than 30 days is not looked at.
    expect(
      (await measures.measure()).providers.flatMap(({ days }) => days.filter((day) => day.uptimePercent !== null)),
    ).toHaveLength(1);
  });
});
