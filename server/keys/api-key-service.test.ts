import { UnitOfWork } from '../database/unit-of-work.js';
import { FakeClock } from '../kernel/clock.js';
import { createId } from '../kernel/ids.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { keyRules } from '../test/key-rules.js';
import { LedgerFixture } from '../test/ledger-fixture.js';
import { ApiKeyService } from './api-key-service.js';
import { hashSecret } from './key-secret.js';

describeOnEachDatabase('ApiKeyService', (openTestDatabase) => {
  let fixture: LedgerFixture;
  let unitOfWork: UnitOfWork;
  let clock: FakeClock;
  let keys: ApiKeyService;
  let accountId: string;

  beforeEach(async () => {
    fixture = await LedgerFixture.open(await openTestDatabase());
    unitOfWork = new UnitOfWork(fixture.source);
    clock = new FakeClock();
    keys = new ApiKeyService(unitOfWork, clock, keyRules(1));
    const funded = await fixture.createFundedAccount(0);
    accountId = funded.accountId;
    await keys.revokeKey({ accountId, keyId: funded.keyId });
  });

  afterEach(() => fixture.close());

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
    const threeKeys = new ApiKeyService(unitOfWork, clock, keyRules(3));
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
});
