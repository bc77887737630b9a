import { describeOnEachDatabase } from '../../test/each-database.js';
import { LedgerFixture } from '../../test/ledger-fixture.js';
import { loadRows } from '../../test/load-rows.js';
import { firstPassword, RecoveryPeople } from '../../test/recovery-people.js';
import { sessionsMax } from './session-service.js';

const dayMs = 24 * 60 * 60_000;
// SQLite takes 32,766 values in a statement.
const endedCount = 40_000;

describeOnEachDatabase('An account whose scripts sign in for each thing that they do', (openTestDatabase) => {
  const fixture = LedgerFixture.forEach(openTestDatabase);
  let people: RecoveryPeople;
  beforeEach(() => {
    people = new RecoveryPeople(fixture);
  });

  const load = async (accountId: string, count: number, lastUsedAtMs: (n: number) => number) => {
    const columns = 'id, account_id, token_hash, created_at_ms, last_used_at_ms, expires_at_ms';
    const nowMs = people.clock.nowMs();
    const rows = Array.from({ length: count }, (_, n) => {
      const digits = String(n).padStart(26, '0');
      return [
        `sess_${digits}`,
        accountId,
        `${digits}${digits}`.padStart(64, '0'),
        nowMs,
        lastUsedAtMs(n),
        nowMs + dayMs,
      ];
    });
    await loadRows(fixture.source, { table: 'session', columns }, count, rows);
  };
  const signIn = ({ email }: { email: string }) =>
    people.services.accounts.signIn({
      ...{ email, password: firstPassword },
      from: { address: '192.0.2.1', userAgent: 'test', deviceTokens: [] },
    });

  it('is let in however many of its sessions have ended since, which are gone then', async () => {
    const person = await people.signUp('many-ended@example.com');
    const { accountId } = person;
    await load(accountId, endedCount, () => people.clock.nowMs() - 7 * dayMs);
    await signIn(person);
    expect(await fixture.countRows('session', `account_id = '${accountId}'`)).toBe(2);
    expect(await people.services.sessions.listSessions(accountId)).toHaveLength(2);
  }, 60_000);

  it('has as many as are needed at once: the ones that were unused for longest end', async () => {
    const person = await people.signUp('many-running@example.com');
    const { accountId } = person;
    people.clock.advanceMs(1_000);
    await load(accountId, sessionsMax + 50, (n) => people.clock.nowMs() - 1_000 - n);
    const { sessionToken } = await signIn(person);
    expect(await fixture.countRows('session', `account_id = '${accountId}'`)).toBe(sessionsMax);
    expect(await people.services.sessions.findAccountBySessionToken(sessionToken)).toMatchObject({ accountId });
    expect(await people.services.sessions.findRunning(person.viewer.sessionId)).not.toBeNull();
    const [newest] = await people.services.sessions.listSessions(accountId);
    expect(newest?.userAgent).toBe('test');
    expect(await fixture.countRows('session', `id = 'sess_${String(sessionsMax + 49).padStart(26, '0')}'`)).toBe(0);
  }, 60_000);
});
