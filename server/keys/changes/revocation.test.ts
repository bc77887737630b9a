import { type Core, createCore } from '../../composition/create-core.js';
import { listCloseStages } from '../../composition/list-close-stages.js';
import { loadConfig } from '../../config/config.js';
import { systemClock } from '../../kernel/clock.js';
import { closeInOrder } from '../../kernel/jobs/close-in-order.js';
import { silentLogger } from '../../kernel/logger.js';
import { databaseUrlOf, describeOnEachDatabase, type TestDatabase } from '../../test/each-database.js';
import { giveSchema } from '../../test/schema-template.js';
import { makeTestFolder } from '../../test/test-folder.js';

/** `TOLLGATE_REVOCATION_ROUNDS=1000` for a long run. */
const rounds = Number(process.env.TOLLGATE_REVOCATION_ROUNDS ?? 30);
const origin = { address: '192.0.2.1', userAgent: null, deviceTokens: [] };
const password = 'a long enough password';

describeOnEachDatabase('A key on all instances', (openTestDatabase) => {
  let database: TestDatabase;
  let cores: readonly Core[];
  let folder: string;

  beforeAll(async () => {
    database = await openTestDatabase();
    await giveSchema(database);
    folder = makeTestFolder('spool');
    const settings = {
      DATABASE_URL: databaseUrlOf(database.address),
      SPOOL_DIR: folder,
      PUBLIC_URL: 'http://tollgate.test',
      SIGNUPS_PER_HOUR: '100000',
    };
    const config = loadConfig(settings, () => null);
    // On SQLite one process is all there is.
    const count = database.kind === 'sqlite' ? 1 : 3;
    cores = await Promise.all(Array.from({ length: count }, () => createCore(config, silentLogger, systemClock)));
  });
  afterAll(async () => {
    for (const core of cores) await closeInOrder(listCloseStages(core.toClose), silentLogger);
  });

  let people = 0;
  const at = (index: number) => cores[index % cores.length] as Core;

  async function createAccount() {
    people += 1;
    const { accounts, sessions } = at(0).resolverServices;
    const input = { email: `person-${people}@example.com`, password, name: 'A Person', from: origin };
    const { account, sessionToken } = await accounts.signUp(input);
    return { accountId: account.id, viewer: await sessions.findAccountBySessionToken(sessionToken) };
  }

  async function letsIn(core: Core, secret: string): Promise<boolean> {
    try {
      await core.authenticator.authenticate(secret);
      return true;
    } catch {
      return false;
    }
  }

  async function createKnownKey(accountId: string, index: number) {
    const made = await at(index).resolverServices.keys.createKey(accountId, { name: 'k' });
    const { id } = made.apiKey;
    for (const { authenticator, keyChanges } of cores) {
      await authenticator.authenticate(made.secret);
      expect(keyChanges.current.isCurrent(id, 0)).toBe(true);
    }
    return { keyId: id, secret: made.secret, change: { accountId, keyId: id } };
  }

  const isCurrentAnywhere = (keyId: string, revision: number) =>
    cores.some(({ keyChanges }) => keyChanges.current.isCurrent(keyId, revision));

  it('is let in by none after its revocation was answered, while calls come at all of them', async () => {
    const { accountId } = await createAccount();
    for (let round = 0; round < rounds; round += 1) {
      const { keyId, secret, change } = await createKnownKey(accountId, round);
      let isAnswered = false;
      const callOnAndOn = async (core: Core): Promise<boolean> => {
        // What was begun before the answer may end in either way.
        while (!isAnswered) {
          await letsIn(core, secret);
          await new Promise((resolve) => setImmediate(resolve));
        }
        return letsIn(core, secret);
      };
      const calling = cores.map(callOnAndOn);
      await at(round + 1).resolverServices.keys.revokeKey(change);
      expect(isCurrentAnywhere(keyId, 0)).toBe(false);
      isAnswered = true;
      expect(await Promise.all(calling)).toEqual(cores.map(() => false));
    }
  }, 1_800_000);

  it('has its new permissions and only its new secret once that was answered', async () => {
    const { accountId } = await createAccount();
    const { keyId, secret, change } = await createKnownKey(accountId, 0);
    await at(1).resolverServices.keys.updateKey(change, { models: ['demo-small'] });
    for (const { authenticator } of cores) {
      expect(await authenticator.authenticate(secret)).toMatchObject({
        revision: 1,
        permissions: { models: ['demo-small'] },
      });
    }
    const rotated = await at(2).resolverServices.keys.rotateKey(change, 0);
    expect(isCurrentAnywhere(keyId, 1)).toBe(false);
    for (const core of cores) {
      expect([await letsIn(core, secret), await letsIn(core, rotated.secret)]).toEqual([false, true]);
    }
    await at(0).resolverServices.keys.revokeKey(change);
  });

  it('is let in by none once the deletion of its account was answered', async () => {
    const { accountId, viewer } = await createAccount();
    const { keyId, secret } = await createKnownKey(accountId, 0);
    if (viewer === null) throw new Error('The session is new.');
    await at(1).resolverServices.settings.deleteAccount({ viewer, password, address: origin.address });
    expect(isCurrentAnywhere(keyId, 0)).toBe(false);
    for (const core of cores) expect(await letsIn(core, secret)).toBe(false);
  });

  it('is told of on every instance before a freeze of its wallet is answered', async () => {
    const { accountId } = await createAccount();
    const { keyId } = await createKnownKey(accountId, 0);
    const told = cores.map(() => 0);
    cores.forEach(({ keyChanges }, index) => {
      keyChanges.current.onChange((changed) => {
        if (changed?.accountId === accountId && changed.keyId === null) told[index] = Number(told[index]) + 1;
      });
    });
    await at(1).books.setWalletState({ accountId, state: 'frozen', reason: 'operator' });
    expect(told).toEqual(cores.map(() => 1));
    expect(isCurrentAnywhere(keyId, 0)).toBe(false);
  });
});
