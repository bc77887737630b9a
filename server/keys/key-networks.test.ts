import type { UnitOfWork } from '../database/unit-of-work.js';
import type { FakeClock } from '../kernel/clock.js';
import { silentLogger } from '../kernel/logger.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { LedgerFixture } from '../test/ledger-fixture.js';
import { firstPassword, type Person, RecoveryPeople } from '../test/recovery-people.js';
import { KeyNetworks, networksOfKeyMax } from './key-networks.js';
import { WidelyUsedKeys } from './widely-used-keys.js';

const dayMs = 24 * 60 * 60_000;

describeOnEachDatabase('From which networks keys are used', (openTestDatabase) => {
  const fixture = LedgerFixture.forEach(openTestDatabase);
  let people: RecoveryPeople;
  let ada: Person;
  let keyId: string;
  let clock: FakeClock;
  let unitOfWork: UnitOfWork;

  beforeEach(async () => {
    people = new RecoveryPeople(fixture);
    ({ clock, unitOfWork } = people);
    ada = await people.signUp('ada@example.com');
    keyId = await people.makeKey(ada);
  });

  const open = () => new KeyNetworks({ unitOfWork, clock, logger: silentLogger });
  const note = (networks: KeyNetworks, from: readonly string[], key = keyId) => {
    for (const address of from) networks.note({ keyId: key, accountId: ada.accountId }, address);
  };
  const addresses = (count: number, first = 0) =>
    Array.from({ length: count }, (_, at) => `10.${Math.floor((first + at) / 256)}.${(first + at) % 256}.7`);
  const find = (sinceMs = clock.nowMs()) => new WidelyUsedKeys(unitOfWork, clock).find(sinceMs);
  const countRows = () => fixture.countRows('key_network');

  it('are counted for a day over all servers, each network once, from five on', async () => {
    const [one, other] = [open(), open()];
    note(one, [
      '192.0.2.1',
      '192.0.2.200',
      '::ffff:192.0.2.3',
      '2001:db8:1:200::1',
      '2001:db8:1:2ff::9',
      ...addresses(2),
    ]);
    await one.flush();
    expect(await find()).toEqual([]);
    note(other, [...addresses(3), '192.0.2.9']);
    await other.flush();
    const day = new Date(clock.nowMs()).toISOString().slice(0, 10);
    expect(await find()).toEqual([{ keyId, accountId: ada.accountId, day, networks: 5 }]);
    clock.advanceMs(dayMs);
    note(one, addresses(6));
    await one.flush();
    expect((await find()).map(({ networks }) => networks)).toEqual([6]);
    expect((await find(clock.nowMs() - dayMs)).map(({ networks }) => networks)).toEqual([6, 5]);
  });

  it('are not written down for a key that comes from one, and not twice for one that was seen', async () => {
    const networks = open();
    note(networks, ['192.0.2.1', '192.0.2.2', '192.0.2.1']);
    await networks.flush();
    expect(await countRows()).toBe(0);
    note(networks, ['198.51.100.1']);
    await networks.flush();
    expect(await countRows()).toBe(2);
    await fixture.source.query('DELETE FROM key_network');
    note(networks, ['192.0.2.1', '198.51.100.1', '198.51.100.77']);
    await networks.flush();
    expect(await countRows()).toBe(0);
  });

  it('are at most 50 rows for a key and day, whatever comes, of whichever server', async () => {
    for (const first of [0, 1_000, 2_000]) {
      const networks = open();
      note(networks, addresses(400, first));
      await networks.flush();
    }
    expect(await countRows()).toBe(networksOfKeyMax);
    expect((await find()).map(({ networks }) => networks)).toEqual([50]);
  });

  it('go after 30 days, and with the account, whose notes that still wait are not written', async () => {
    const networks = open();
    note(networks, addresses(6));
    await networks.flush();
    clock.advanceMs(31 * dayMs);
    note(networks, addresses(7));
    await networks.flush();
    expect(await countRows()).toBe(13);
    // A day that something is noted of is believed on the next.
    clock.advanceMs(dayMs);
    networks.start();
    await networks.close();
    expect(await countRows()).toBe(7);
    note(networks, addresses(5, 100));
    const proof = { viewer: ada.viewer, password: firstPassword, address: '192.0.2.1' };
    await people.services.settings.deleteAccount(proof);
    await networks.flush();
    expect(await countRows()).toBe(0);
  });

  it('are no reason to fail or wait: what the database does not take is dropped', async () => {
    const networks = open();
    note(networks, addresses(6));
    await fixture.source.query('ALTER TABLE key_network RENAME TO gone');
    await networks.flush();
    await fixture.source.query('ALTER TABLE gone RENAME TO key_network');
    note(networks, addresses(6));
    await networks.flush();
    expect(await countRows()).toBe(0);
    note(networks, addresses(1, 50));
    await networks.flush();
    expect(await countRows()).toBe(1);
  });

  it('are found by an index, and a flood of keys that there are not leaves nothing', async () => {
    const networks = open();
    for (let key = 0; key < 3_000; key += 1) note(networks, addresses(80, key), `key_${key}`);
    await networks.flush();
    expect(await countRows()).toBe(0);
    const explain = fixture.source.options.type === 'mysql' ? 'EXPLAIN FORMAT=TRADITIONAL' : 'EXPLAIN QUERY PLAN';
    const plan = await fixture.source.query(
      `${explain} SELECT key_id FROM key_network WHERE day = 1 AND number >= 5 ORDER BY number DESC LIMIT 10`,
    );
    expect(JSON.stringify(plan)).toContain('ix_key_network_number');
  });
});
