import type { EntityManager } from 'typeorm';
import { AppError } from '../kernel/app-error.js';
import { FakeClock } from '../kernel/clock.js';
import { silentLogger } from '../kernel/logger.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { keyRules } from '../test/key-rules.js';
import { LedgerFixture } from '../test/ledger-fixture.js';
import { ApiKeyService } from './api-key-service.js';
import { OneProcessKeyChanges } from './changes/key-changes.js';
import { type Leak, LeakedKeys } from './leaked-keys.js';

describeOnEachDatabase('A report of keys in public that is answered with an error', (openTestDatabase) => {
  const fixture = LedgerFixture.forEach(openTestDatabase);
  let keys: ApiKeyService;
  let leaked: LeakedKeys;
  let told: string[];
  let onTakenOver: () => void;
  let onTell: () => void;

  beforeEach(() => {
    told = [];
    onTakenOver = onTell = () => {};
    const clock = new FakeClock();
    const { unitOfWork } = fixture;
    class WatchedChanges extends OneProcessKeyChanges {
      override async takenOver() {
        onTakenOver();
      }
    }
    keys = new ApiKeyService(unitOfWork, clock, keyRules(10), new WatchedChanges(clock));
    const tell = async (_transaction: EntityManager, { keyId }: Leak) => {
      onTell();
      told.push(keyId);
    };
    const scannerKeys = { isSigned: async () => true };
    leaked = new LeakedKeys({ unitOfWork, keys, tell, scannerKeys, logger: silentLogger });
  });

  const make = async () => {
    const { accountId } = await fixture.createFundedAccount(0);
    const { apiKey, secret } = await keys.createKey(accountId, { name: 'leaked' });
    return { accountId, keyId: apiKey.id, secret, found: { token: secret, type: 'tollgate_key', url: null } };
  };
  const isRevoked = async ({ accountId, keyId }: { accountId: string; keyId: string }) =>
    (await keys.findKey(accountId, keyId))?.revokedAtMs !== null;
  const away = () => {
    throw new AppError('service_unavailable', 'Not every server has said that it knows.');
  };

  it('has told the owner of what it has ended, once, though it comes again', async () => {
    const [one, rotated] = [await make(), await make()];
    await keys.rotateKey(rotated);
    onTakenOver = away;
    for (const { found } of [one, rotated]) {
      await expect(leaked.report([found])).rejects.toMatchObject({ code: 'service_unavailable' });
    }
    onTakenOver = () => {};
    await leaked.report([one.found, rotated.found]);
    expect([await isRevoked(one), await isRevoked(rotated)]).toEqual([true, false]);
    expect(told).toEqual([one.keyId, rotated.keyId]);
    expect(await fixture.countRows('account_event', "kind = 'key_leaked'")).toBe(2);
  });

  it('has ended those behind the one that failed', async () => {
    const [one, other] = [await make(), await make()];
    let isFirst = true;
    onTakenOver = () => {
      if (isFirst) {
        isFirst = false;
        away();
      }
    };
    await expect(leaked.report([one.found, other.found])).rejects.toMatchObject({ code: 'service_unavailable' });
    expect([await isRevoked(one), await isRevoked(other)]).toEqual([true, true]);
    expect(told).toEqual([one.keyId, other.keyId]);
  });

  it('ends a key also where its owner cannot be told', async () => {
    const one = await make();
    onTell = () => {
      throw new Error('It does not fit into the table.');
    };
    await leaked.report([one.found]);
    expect(await isRevoked(one)).toBe(true);
  });
});
