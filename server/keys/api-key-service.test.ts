import { createConnection } from 'mysql2/promise';
import type { UnitOfWork } from '../database/unit-of-work.js';
import type { ActingKey } from '../kernel/api-key.js';
import { FakeClock } from '../kernel/clock.js';
import { createId } from '../kernel/ids.js';
import { databaseUrlOf, describeOnEachDatabase, describeOnMysql } from '../test/each-database.js';
import { keyRules } from '../test/key-rules.js';
import { LedgerFixture } from '../test/ledger-fixture.js';
import { ApiKeyService } from './api-key-service.js';
import { OneProcessKeyChanges } from './changes/key-changes.js';
import { hashSecret } from './key-secret.js';
import type { KeySettings } from './key-settings.js';

describeOnEachDatabase('ApiKeyService', (openTestDatabase) => {
  const fixture = LedgerFixture.forEach(openTestDatabase);
  let unitOfWork: UnitOfWork;
  let clock: FakeClock;
  let keys: ApiKeyService;
  let accountId: string;

  beforeEach(async () => {
    unitOfWork = fixture.unitOfWork;
    clock = new FakeClock();
    keys = new ApiKeyService(unitOfWork, clock, keyRules(1), new OneProcessKeyChanges(clock));
    const funded = await fixture.createFundedAccount(0);
    accountId = funded.accountId;
    await keys.revokeKey({ accountId, keyId: funded.keyId });
  });

  it('shows the secret once, and stores only its hash and its mask', async () => {
    const { apiKey, secret } = await keys.createKey(accountId, { name: '  laptop ' });
    const [row] = await fixture.source.query(`SELECT * FROM api_key WHERE id = '${apiKey.id}'`);
    expect(row).toMatchObject({ name: 'laptop', secret_hash: hashSecret(secret), masked_secret: apiKey.maskedSecret });
    expect(JSON.stringify(row)).not.toContain(secret);
  });

  it('makes exactly one key of twenty asked for at once', async () => {
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, () => keys.createKey(accountId, { name: 'k' })),
    );
    expect(results.filter(({ status }) => status === 'fulfilled').length).toBe(1);
    for (const result of results) {
      if (result.status === 'rejected') {
        expect(result.reason).toMatchObject({ code: 'conflict', message: expect.stringContaining('Revoke it first') });
      }
    }
    expect(await fixture.countRows('api_key', 'revoked_at_ms IS NULL')).toBe(1);
  });

  it('keeps to a higher limit just as well', async () => {
    const threeKeys = new ApiKeyService(unitOfWork, clock, keyRules(3), new OneProcessKeyChanges(clock));
    await Promise.allSettled(Array.from({ length: 20 }, () => threeKeys.createKey(accountId, { name: 'k' })));
    expect(await fixture.countRows('api_key', 'revoked_at_ms IS NULL')).toBe(3);
  });

  it('lets a new key be made once the old one is revoked, and lists both, newest first', async () => {
    const first = await keys.createKey(accountId, { name: 'first' });
    await keys.revokeKey({ accountId, keyId: first.apiKey.id });
    await keys.createKey(accountId, { name: 'second' });
    expect((await keys.listKeys(accountId)).map(({ name }) => name)).toEqual(['second', 'first', 'k']);
  });

  it('revokes once: a repeat keeps the first time', async () => {
    const { apiKey } = await keys.createKey(accountId, { name: 'k' });
    const revoked = await keys.revokeKey({ accountId, keyId: apiKey.id });
    clock.advanceMs(1_000);
    expect(await keys.revokeKey({ accountId, keyId: apiKey.id })).toEqual(revoked);
    expect(revoked.revokedAtMs).toBe(clock.nowMs() - 1_000);
  });

  it('answers a foreign id as a missing one, and leaves the foreign key as it was', async () => {
    const other = await fixture.createFundedAccount(0);
    const refuse = (id: string) => keys.revokeKey({ accountId, keyId: id }).catch((error: Error) => error);
    expect(await refuse(other.keyId)).toEqual(await refuse(createId('key')));
    expect(await refuse('nonsense')).toMatchObject({ code: 'not_found' });
    expect(await keys.findKey(accountId, other.keyId)).toBeNull();
    expect(await keys.findKey(other.accountId, other.keyId)).toMatchObject({ revokedAtMs: null });
  });

  it.each(['', '   ', 'x'.repeat(101), 'a\nb'])('refuses the name %j', async (name) => {
    await expect(keys.createKey(accountId, { name })).rejects.toMatchObject({ code: 'invalid_value', param: 'name' });
  });

  describe('what a key may do', () => {
    let keyId: string;
    const update = (settings: object) => keys.updateKey({ accountId, keyId }, settings);

    beforeEach(async () => {
      keyId = (await keys.createKey(accountId, { name: 'k' })).apiKey.id;
    });

    it('is calling and reading unless more or less is asked for', async () => {
      expect(await keys.findKey(accountId, keyId)).toMatchObject({
        ...{ scopes: ['chat', 'usage:read'], models: null, providers: null, addresses: null },
        ...{ spendLimitMillicredits: null, spendPeriod: null, requestsPerMinute: null, expiresAtMs: null },
      });
    });

    it('changes by what is sent, stays by what is left out, and is lifted by null', async () => {
      const limits = { spendLimitMillicredits: 5_000, spendPeriod: 'week', requestsPerMinute: 3 } as const;
      const settings = { models: ['demo-small'], providers: ['demo'], addresses: ['2001:DB8::/32'], ...limits };
      await update({ ...settings, scopes: ['keys:write', 'chat', 'chat'], expiresAtMs: clock.nowMs() + 1 });
      const expected = { ...settings, addresses: ['2001:db8::/32'], scopes: ['chat', 'keys:write'] };
      expect(await update({ name: 'other' })).toMatchObject({ ...expected, name: 'other' });
      expect(await keys.findKey(accountId, keyId)).toMatchObject({ ...expected, expiresAtMs: clock.nowMs() + 1 });
      expect(await update({ spendLimitMillicredits: 0 })).toMatchObject({
        spendLimitMillicredits: 0,
        spendPeriod: 'week',
      });
      const none = { models: null, providers: null, addresses: null, requestsPerMinute: null, expiresAtMs: null };
      expect(await update({ ...none, spendLimitMillicredits: null, scopes: null })).toMatchObject({
        ...{ ...none, spendLimitMillicredits: null, spendPeriod: null, scopes: ['chat', 'usage:read'] },
      });
    });

    it.each([
      ['name', { name: ' ' }],
      ['scopes', { scopes: [] }],
      ['models', { models: [] }],
      ['models', { models: ['demo-small', 'gpt-99'] }],
      ['models', { models: Array.from({ length: 101 }, () => 'demo-small') }],
      ['providers', { providers: ['acme'] }],
      ['addresses', { addresses: ['192.0.2.1', '10.0.0.0/33'] }],
      ['spendLimit', { spendLimitMillicredits: -1, spendPeriod: 'day' }],
      ['spendLimit', { spendLimitMillicredits: 1_000_000_000_001, spendPeriod: 'day' }],
      ['spendLimit', { spendPeriod: 'day' }],
      ['spendPeriod', { spendLimitMillicredits: 1 }],
      ['requestsPerMinute', { requestsPerMinute: 0 }],
      ['requestsPerMinute', { requestsPerMinute: 61 }],
      ['expiresAt', { expiresAtMs: Date.UTC(2026, 0, 1) }],
    ])('is refused with the field %s for %j, and stays as it was', async (param, settings) => {
      const before = await keys.findKey(accountId, keyId);
      await expect(update(settings)).rejects.toMatchObject({ code: 'invalid_value', param });
      expect(await keys.findKey(accountId, keyId)).toEqual(before);
    });

    it('keeps a limit of before its bound, which may be lowered and not raised', async () => {
      const [stored, more] = [9e15, 9e15 + 1];
      await update({ spendLimitMillicredits: 1, spendPeriod: 'day' });
      await fixture.source.query(`UPDATE api_key SET spend_limit_millicredits = ${stored} WHERE id = '${keyId}'`);
      expect(await update({ requestsPerMinute: 7 })).toMatchObject({ spendLimitMillicredits: stored });
      const words = expect.stringContaining('no more than 1,000,000,000 credits');
      await expect(update({ spendLimitMillicredits: more })).rejects.toMatchObject({ message: words });
      expect(await update({ spendLimitMillicredits: 5e12 })).toMatchObject({ spendLimitMillicredits: 5e12 });
    });

    it('takes both of two changes at once', async () => {
      await Promise.all([update({ requestsPerMinute: 7 }), update({ models: ['demo-small'] })]);
      expect(await keys.findKey(accountId, keyId)).toMatchObject({ requestsPerMinute: 7, models: ['demo-small'] });
    });

    it('cannot be changed, rotated or revoked by another account, and not at all once it is revoked', async () => {
      const other = await fixture.createFundedAccount(0);
      const foreign = { accountId: other.accountId, keyId };
      for (const refused of [
        () => keys.updateKey(foreign, {}),
        () => keys.rotateKey(foreign),
        () => keys.revokeKey(foreign),
      ]) {
        await expect(refused()).rejects.toMatchObject({ code: 'not_found' });
      }
      await keys.revokeKey({ accountId, keyId });
      await expect(update({})).rejects.toMatchObject({ code: 'conflict' });
      await expect(keys.rotateKey({ accountId, keyId })).rejects.toMatchObject({ code: 'conflict' });
    });

    it.each([-1, 604_801, 1.5])('cannot be rotated with a grace of %d seconds', async (graceSeconds) => {
      const refused = keys.rotateKey({ accountId, keyId }, graceSeconds);
      await expect(refused).rejects.toMatchObject({ code: 'invalid_value', param: 'graceSeconds' });
    });
  });

  describe('a key that acts on keys', () => {
    const own = { scopes: ['chat', 'keys:write'], models: ['demo-small', 'demo-large'], providers: ['demo'] } as const;
    const limits = { addresses: ['192.0.2.0/24'], requestsPerMinute: 10, expiresAtMs: Date.UTC(2026, 0, 2) };
    const within: KeySettings = {
      ...{ scopes: ['chat'], models: ['demo-small'], providers: ['demo'] },
      ...{ addresses: ['192.0.2.128/25'], requestsPerMinute: 10, expiresAtMs: Date.UTC(2026, 0, 2) },
    };
    let actor: ActingKey;

    const act = async (settings: KeySettings) => {
      const { apiKey } = await keys.createKey(accountId, { name: 'actor', ...settings });
      return { keyId: apiKey.id, permissions: apiKey };
    };
    beforeEach(async () => {
      keys = new ApiKeyService(unitOfWork, clock, keyRules(10), new OneProcessKeyChanges(clock));
      actor = await act({ ...own, ...limits });
    });

    it('makes and changes keys that may do no more than itself', async () => {
      const { apiKey } = await keys.createKey(accountId, { name: 'child', ...within }, { by: actor });
      const change = { accountId, keyId: apiKey.id, by: actor };
      expect(await keys.updateKey(change, { requestsPerMinute: 5 })).toMatchObject({ requestsPerMinute: 5 });
      expect((await keys.rotateKey(change)).apiKey.id).toBe(apiKey.id);
      expect((await keys.revokeKey(change)).revokedAtMs).not.toBeNull();
    });

    it.each([
      ['scopes', { scopes: ['chat', 'billing:write'] }],
      ['models', { models: null }],
      ['providers', { providers: null }],
      ['addresses', { addresses: null }],
      ['addresses', { addresses: ['192.0.2.1', '192.0.0.0/16'] }],
      ['requestsPerMinute', { requestsPerMinute: null }],
      ['requestsPerMinute', { requestsPerMinute: 11 }],
      ['expiresAt', { expiresAtMs: null }],
      ['expiresAt', { expiresAtMs: Date.UTC(2026, 0, 2) + 1 }],
    ] as const)('makes none with more in %s, and touches none: %j', async (param, more) => {
      const settings = { name: 'child', ...within, ...more } as KeySettings & { name: string };
      const refusal = { code: 'beyond_own_permissions' };
      await expect(keys.createKey(accountId, settings, { by: actor })).rejects.toMatchObject({ ...refusal, param });
      const { apiKey } = await keys.createKey(accountId, settings);
      const change = { accountId, keyId: apiKey.id, by: actor };
      await expect(keys.rotateKey(change)).rejects.toMatchObject(refusal);
      await expect(keys.revokeKey(change)).rejects.toMatchObject(refusal);
      await expect(keys.updateKey(change, within)).rejects.toMatchObject(refusal);
      await expect(keys.updateKey({ ...change, keyId: actor.keyId }, more as KeySettings)).rejects.toMatchObject(
        refusal,
      );
    });

    it('with a spend limit hands it on to nobody: it may lower its own, and manage keys that cannot call', async () => {
      const limited = await act({ scopes: ['chat', 'keys:write'], spendLimitMillicredits: 100, spendPeriod: 'day' });
      const child = { name: 'child', scopes: ['chat'], spendLimitMillicredits: 1, spendPeriod: 'day' } as const;
      const refusal = { code: 'beyond_own_permissions', param: 'spendLimit' };
      await expect(keys.createKey(accountId, child, { by: limited })).rejects.toMatchObject(refusal);
      await keys.createKey(accountId, { ...child, scopes: ['keys:write'] }, { by: limited });
      const itself = { accountId, keyId: limited.keyId, by: limited };
      await expect(keys.updateKey(itself, { spendLimitMillicredits: 101 })).rejects.toMatchObject(refusal);
      await expect(keys.updateKey(itself, { spendLimitMillicredits: null })).rejects.toMatchObject({
        code: refusal.code,
      });
      await expect(keys.updateKey(itself, { spendPeriod: 'month' })).rejects.toMatchObject({ param: 'spendPeriod' });
      expect(await keys.updateKey(itself, { spendLimitMillicredits: 99 })).toMatchObject({
        spendLimitMillicredits: 99,
      });
    });
  });
});

describeOnMysql('ApiKeyService while somebody keeps the row of an account locked', (openTestDatabase) => {
  it('refuses a crowd of changes of that account with a time to wait, and keeps no connection from others', async () => {
    const fixture = await LedgerFixture.open(await openTestDatabase());
    const clock = new FakeClock();
    const { unitOfWork } = fixture;
    const keys = new ApiKeyService(unitOfWork, clock, keyRules(1_000), new OneProcessKeyChanges(clock));
    const [held, unheld] = [await fixture.createFundedAccount(0), await fixture.createFundedAccount(0)];
    const holder = await createConnection(databaseUrlOf(fixture.database.address));
    await holder.beginTransaction();
    await holder.query('SELECT id FROM account WHERE id = ? FOR UPDATE', [held.accountId]);
    // More than there are connections.
    const crowd = Promise.allSettled(
      Array.from({ length: 30 }, () => keys.createKey(held.accountId, { name: 'crowd' })),
    );
    let isOver = false;
    void crowd.finally(() => {
      isOver = true;
    });
    let waitingMost = 0;
    while (!isOver) {
      await keys.updateKey(unheld, { name: 'other' });
      const [waiting] = await unitOfWork.reader.query(
        "SELECT COUNT(*) AS n FROM information_schema.processlist WHERE db = DATABASE() AND info LIKE 'UPDATE %account%'",
      );
      waitingMost = Math.max(waitingMost, Number(waiting.n));
    }
    const refused = await crowd;
    await holder.rollback();
    await holder.end();
    expect(waitingMost).toBe(1);
    for (const result of refused)
      expect(result).toMatchObject({
        status: 'rejected',
        reason: { code: 'service_unavailable', retryAfterMs: 2_000 },
      });
    await keys.createKey(held.accountId, { name: 'after' });
    expect(await fixture.countRows('api_key', `account_id = '${held.accountId}'`)).toBe(2);
    await fixture.close();
  }, 60_000);
});
