import { mock } from 'node:test';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { FakeClock } from '../kernel/clock.js';
import { silentLogger } from '../kernel/logger.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { keyRules } from '../test/key-rules.js';
import { LedgerFixture } from '../test/ledger-fixture.js';
import { tickAwake } from '../test/tick-awake.js';
import { ApiKeyService } from './api-key-service.js';
import { KeyAuthenticator, readKeyFromHeaders } from './authenticate-key.js';
import { CurrentKeys } from './changes/current-keys.js';
import { OneProcessKeyChanges } from './changes/key-changes.js';
import { mintSecret } from './key-secret.js';

describeOnEachDatabase('KeyAuthenticator', (openTestDatabase) => {
  let fixture: LedgerFixture;
  let clock: FakeClock;
  let keys: ApiKeyService;
  let authenticator: KeyAuthenticator;
  let accountId: string;
  /** Of an instance that hears of no change. */
  let unheard: CurrentKeys;

  beforeEach(async () => {
    fixture = await LedgerFixture.open(await openTestDatabase());
    const { unitOfWork } = fixture;
    clock = new FakeClock();
    unheard = new CurrentKeys(clock, () => false);
    keys = new ApiKeyService(unitOfWork, clock, keyRules(2), new OneProcessKeyChanges(clock));
    authenticator = new KeyAuthenticator(unitOfWork, clock, silentLogger, unheard);
    accountId = (await fixture.createFundedAccount(0)).accountId;
  });

  afterEach(async () => {
    await authenticator.drain();
    await fixture.close();
  });

  const authenticate = async (secret: string, by = authenticator) => by.authenticate(secret);

  it('knows whose key a secret is', async () => {
    const { apiKey, secret } = await keys.createKey(accountId, { name: 'k' });
    expect(await authenticator.authenticate(secret)).toMatchObject({ keyId: apiKey.id, accountId, revision: 0 });
  });

  it.each([null, ''])('asks for a key when given %j', async (secret) => {
    await expect(async () => authenticator.authenticate(secret)).rejects.toMatchObject({ code: 'missing_api_key' });
  });

  it('refuses unknown and revoked keys alike, and shows only the mask', async () => {
    const { apiKey, secret } = await keys.createKey(accountId, { name: 'k' });
    await keys.revokeKey({ accountId, keyId: apiKey.id });
    for (const text of [secret, mintSecret()]) {
      const error = await authenticate(text).catch((caught: Error) => caught);
      expect(error).toMatchObject({ code: 'invalid_api_key', message: expect.stringContaining(text.slice(-4)) });
      expect(String(error)).not.toContain(text.slice(0, 20));
    }
  });

  it('refuses what cannot be a key without asking the database', async () => {
    const noDatabase = new Proxy({} as UnitOfWork, {
      get: () => {
        throw new Error('the database was asked');
      },
    });
    const strict = new KeyAuthenticator(noDatabase, clock, silentLogger, unheard);
    for (const text of ['x', `${mintSecret().slice(0, -1)}!`, 'sk-proj-0123456789abcdefghijklmnop']) {
      await expect(async () => strict.authenticate(text)).rejects.toMatchObject({ code: 'invalid_api_key' });
    }
  });

  it('remembers a key for five seconds and no longer', async () => {
    const { apiKey, secret } = await keys.createKey(accountId, { name: 'k' });
    await authenticator.authenticate(secret);
    await keys.revokeKey({ accountId, keyId: apiKey.id });
    clock.advanceMs(4_999);
    await authenticator.authenticate(secret);
    clock.advanceMs(1);
    await expect(async () => authenticator.authenticate(secret)).rejects.toMatchObject({ code: 'invalid_api_key' });
  });

  it('forgets a revoked key after five seconds, though the clock is set back meanwhile', async () => {
    const { apiKey, secret } = await keys.createKey(accountId, { name: 'k' });
    await authenticator.authenticate(secret);
    await keys.revokeKey({ accountId, keyId: apiKey.id });
    clock.setWallMs(clock.nowMs() - 3_600_000);
    clock.advanceMs(5_000);
    await expect(async () => authenticator.authenticate(secret)).rejects.toMatchObject({ code: 'invalid_api_key' });
  });

  it('remembers a key for a minute while it is known to stand, and not a moment longer than that', async () => {
    const current = new CurrentKeys(clock, () => true);
    const changes = Object.assign(new OneProcessKeyChanges(clock), { current });
    const { unitOfWork } = fixture;
    const watching = new KeyAuthenticator(unitOfWork, clock, silentLogger, changes.current);
    const service = new ApiKeyService(unitOfWork, clock, keyRules(2), changes);
    const { apiKey, secret } = await service.createKey(accountId, { name: 'k' });
    await watching.authenticate(secret);
    const reads = mock.method(unitOfWork.reader, 'findOneBy');
    clock.advanceMs(59_999);
    await watching.authenticate(secret);
    expect(reads.mock.callCount()).toBe(0);
    clock.advanceMs(1);
    await watching.authenticate(secret);
    expect(reads.mock.callCount()).toBe(1);
    await service.revokeKey({ accountId, keyId: apiKey.id });
    await expect(async () => watching.authenticate(secret)).rejects.toMatchObject({ code: 'invalid_api_key' });
    await watching.drain();
    reads.mock.restore();
  });

  it('does not remember what was read while something was changed', async () => {
    const changes = new OneProcessKeyChanges(clock);
    const { unitOfWork } = fixture;
    const watching = new KeyAuthenticator(unitOfWork, clock, silentLogger, changes.current);
    const service = new ApiKeyService(unitOfWork, clock, keyRules(2), changes);
    const { apiKey, secret } = await service.createKey(accountId, { name: 'k' });
    const find = unitOfWork.reader.findOneBy.bind(unitOfWork.reader);
    const reads = mock.method(unitOfWork.reader, 'findOneBy');
    // The row comes, and on its way the key is revoked.
    reads.mock.mockImplementationOnce(async (entity, where) => {
      const row = await find(entity, where);
      await service.revokeKey({ accountId, keyId: apiKey.id });
      return row;
    });
    await watching.authenticate(secret);
    reads.mock.restore();
    await expect(async () => watching.authenticate(secret)).rejects.toMatchObject({ code: 'invalid_api_key' });
    await watching.drain();
  });

  it('waits three seconds for a database that does not answer, and says then that the key cannot be checked', async () => {
    const { secret } = await keys.createKey(accountId, { name: 'k' });
    const { unitOfWork } = fixture;
    const waiting = new KeyAuthenticator(unitOfWork, clock, silentLogger, unheard);
    const reads = mock.method(unitOfWork.reader, 'findOneBy', () => new Promise(() => {}));
    mock.timers.enable({ apis: ['setTimeout'] });
    const answer = authenticate(secret, waiting).catch((error: unknown) => error);
    await tickAwake(3_000);
    mock.timers.reset();
    reads.mock.restore();
    expect(await answer).toMatchObject({ code: 'service_unavailable', retryAfterMs: 2_000 });
  });

  it('asks the database at once where it must be fresh', async () => {
    const { apiKey, secret } = await keys.createKey(accountId, { name: 'k' });
    const key = await authenticator.authenticate(secret);
    await keys.updateKey({ accountId, keyId: apiKey.id }, { models: ['demo-small'] });
    expect(await authenticator.authenticate(secret)).toMatchObject({ revision: 0, permissions: { models: null } });
    const changed = { revision: 1, permissions: { models: ['demo-small'] } };
    expect(await key.reload()).toMatchObject(changed);
    expect(await authenticator.authenticate(secret)).toMatchObject(changed);
    await keys.revokeKey({ accountId, keyId: apiKey.id });
    await expect(async () => authenticator.authenticate(secret, { isFresh: true })).rejects.toMatchObject({
      code: 'invalid_api_key',
    });
  });

  it('takes the old secret until the grace ends, remembered or not', async () => {
    const { apiKey, secret: old } = await keys.createKey(accountId, { name: 'k' });
    const rotated = await keys.rotateKey({ accountId, keyId: apiKey.id }, 60);
    expect(rotated.apiKey).toMatchObject({ id: apiKey.id, name: 'k', graceEndsAtMs: clock.nowMs() + 60_000 });
    for (const secret of [old, rotated.secret]) {
      expect(await authenticator.authenticate(secret)).toMatchObject({ keyId: apiKey.id });
    }
    clock.advanceMs(59_999);
    expect(await authenticator.authenticate(old)).toMatchObject({ keyId: apiKey.id });
    clock.advanceMs(1);
    await expect(async () => authenticator.authenticate(old)).rejects.toMatchObject({ code: 'invalid_api_key' });
    expect(await authenticator.authenticate(rotated.secret)).toMatchObject({ keyId: apiKey.id });
  });

  it('keeps one old secret: a second rotation within the grace ends the first one’s at once', async () => {
    const { apiKey, secret: oldest } = await keys.createKey(accountId, { name: 'k' });
    const change = { accountId, keyId: apiKey.id };
    const { secret: older } = await keys.rotateKey(change, 600);
    const { secret: newest } = await keys.rotateKey(change, 600);
    await expect(async () => authenticator.authenticate(oldest)).rejects.toMatchObject({ code: 'invalid_api_key' });
    for (const secret of [older, newest])
      expect(await authenticator.authenticate(secret)).toMatchObject({ keyId: apiKey.id });
    await keys.rotateKey(change, 0);
    for (const secret of [older, newest]) {
      await expect(async () => authenticator.authenticate(secret, { isFresh: true })).rejects.toMatchObject({
        code: 'invalid_api_key',
      });
    }
  });

  it('takes a key until it expires, remembered or not', async () => {
    const { secret } = await keys.createKey(accountId, { name: 'k', expiresAtMs: clock.nowMs() + 2_000 });
    clock.advanceMs(1_999);
    await authenticator.authenticate(secret);
    clock.advanceMs(1);
    await expect(async () => authenticator.authenticate(secret)).rejects.toMatchObject({ code: 'invalid_api_key' });
  });

  it('notes the use of a key at most once a minute, however many use it at once', async () => {
    const { apiKey, secret } = await keys.createKey(accountId, { name: 'k' });
    let writes = 0;
    const { unitOfWork } = fixture;
    const transact = unitOfWork.transactForServer.bind(unitOfWork);
    unitOfWork.transactForServer = (work) => {
      writes += 1;
      return transact(work);
    };
    const counted = new KeyAuthenticator(unitOfWork, clock, silentLogger, unheard);
    const callManyTimes = async () => {
      await Promise.all(Array.from({ length: 20 }, () => counted.authenticate(secret)));
      await counted.drain();
      return { writes, lastUsedAtMs: (await keys.findKey(accountId, apiKey.id))?.lastUsedAtMs };
    };
    const startMs = clock.nowMs();
    expect(await callManyTimes()).toEqual({ writes: 1, lastUsedAtMs: startMs });
    clock.advanceMs(59_999);
    expect(await callManyTimes()).toEqual({ writes: 1, lastUsedAtMs: startMs });
    clock.advanceMs(1);
    expect(await callManyTimes()).toEqual({ writes: 2, lastUsedAtMs: startMs + 60_000 });
  });

  it('notes the use of a key when a clock that was a month ahead is set right, on its own instance and others', async () => {
    const { apiKey, secret } = await keys.createKey(accountId, { name: 'k' });
    const [one, another] = [authenticator, new KeyAuthenticator(fixture.unitOfWork, clock, silentLogger, unheard)];
    const use = async (by: KeyAuthenticator) => {
      await by.authenticate(secret);
      await by.drain();
      return (await keys.findKey(accountId, apiKey.id))?.lastUsedAtMs;
    };
    const rightMs = clock.nowMs();
    const aheadMs = rightMs + 30 * 24 * 3_600_000;
    for (const by of [one, another]) {
      clock.setWallMs(aheadMs);
      await use(one);
      clock.setWallMs(rightMs);
      expect(await use(by)).toBe(rightMs);
    }
  });

  it('lets the call pass when its use cannot be noted, and logs why', async () => {
    const { apiKey, secret } = await keys.createKey(accountId, { name: 'k' });
    const events: string[] = [];
    const { unitOfWork } = fixture;
    unitOfWork.transactForServer = () => Promise.reject(new Error('disk full'));
    const logger = { ...silentLogger, error: (event: string) => events.push(event) };
    const unlucky = new KeyAuthenticator(unitOfWork, clock, logger, unheard);
    expect(await unlucky.authenticate(secret)).toMatchObject({ keyId: apiKey.id });
    await unlucky.drain();
    expect(events).toEqual(['key_use_note_failed']);
  });
});

describe('readKeyFromHeaders', () => {
  it.each([
    [{ authorization: 'Bearer sk-1' }, 'sk-1'],
    [{ authorization: 'bearer   sk-1 ' }, 'sk-1'],
    [{ 'x-api-key': 'sk-2' }, 'sk-2'],
    [{ 'api-key': 'sk-3' }, 'sk-3'],
    [{ authorization: 'Bearer sk-1', 'x-api-key': 'sk-2', 'api-key': 'sk-3' }, 'sk-1'],
    [{ authorization: 'Basic abc', 'api-key': 'sk-3' }, 'sk-3'],
    [{ authorization: 'Bearer ', 'x-api-key': ['sk-2', 'sk-4'] }, 'sk-2'],
    [{ authorization: 'sk-1' }, null],
    [{ 'x-api-key': '  ' }, null],
    [{}, null],
  ])('reads %j as %j', (headers, secret) => expect(readKeyFromHeaders(headers)).toBe(secret));

  it.each([
    [{ authorization: 'Bearer sk-1', 'x-api-key': 'sk-2', 'api-key': 'sk-3' }, 'sk-2'],
    [{ authorization: 'Bearer sk-1', 'x-api-key': ' ', 'api-key': 'sk-3' }, 'sk-1'],
    [{ authorization: 'Bearer sk-1' }, 'sk-1'],
    [{ authorization: 'Basic abc', 'api-key': 'sk-3' }, 'sk-3'],
  ])('reads %j of a client of Anthropic as %j', (headers, secret) =>
    expect(readKeyFromHeaders(headers, { isAnthropicForm: true })).toBe(secret),
  );
});
