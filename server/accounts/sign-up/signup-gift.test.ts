import { networkBlockOf } from '../../kernel/addresses/network-address.js';
import { FakeClock } from '../../kernel/clock.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { LedgerFixture } from '../../test/ledger-fixture.js';
import { makePurchasesParts } from '../../test/purchases-parts.js';
import { hashMailbox, SignupGifts } from './signup-gift.js';

describeOnEachDatabase('the gift for signing up', (openTestDatabase) => {
  let fixture: LedgerFixture;
  let clock: FakeClock;
  let gifts: SignupGifts;

  beforeEach(async () => {
    fixture = await LedgerFixture.open(await openTestDatabase());
    clock = new FakeClock();
    gifts = open({ perNetworkMax: 3, perHourMax: 100 });
  });

  afterEach(() => fixture.close());

  const open = (limits: { perNetworkMax: number; perHourMax: number }) =>
    new SignupGifts({ ...makePurchasesParts(fixture, clock), signupMillicredits: 100_000, limits });
  const createAccounts = async (count: number) => {
    const ids: string[] = [];
    while (ids.length < count) ids.push((await fixture.createFundedAccount(0)).accountId);
    return ids;
  };
  const signUp = async (emailNormalised: string, address: string, by = gifts) => {
    const [id = ''] = await createAccounts(1);
    await by.give({ id, emailNormalised }, address);
    return (await fixture.findWallet(id)).posted;
  };
  const countGrants = () => fixture.countRows('ledger_transfer', "type = 'grant'");

  it('goes to three a day of five hundred sign-ups from one network, on four instances at once', async () => {
    const limits = { perNetworkMax: 3, perHourMax: 100 };
    const instances = [gifts, open(limits), open(limits), open(limits)];
    const crowd = await createAccounts(500);
    await Promise.all(
      crowd.map((id, number) => {
        const account = { id, emailNormalised: `farmer${number}@example.com` };
        return (instances[number % 4] as SignupGifts).give(account, `198.51.100.${number % 256}`);
      }),
    );
    expect(await countGrants()).toBe(3);
    expect(await signUp('neighbour@example.com', '198.51.101.7')).toBe(100_000);
    clock.advanceMs(24 * 60 * 60 * 1_000);
    expect(await signUp('tomorrow@example.com', '198.51.100.1')).toBe(100_000);
  }, 120_000);

  it('goes to a mailbox once, however its address is spelled', async () => {
    const spellings = [
      ...['ada@gmail.com', 'a.d.a@gmail.com', 'ada+1@gmail.com', 'a.da+x+y@googlemail.com'],
      ...['ada@gmail.com.', '"ada"@gmail.com', 'ada(2)@gmail.com', '"a.da"(x)+2@googlemail.com.'],
    ];
    for (const [index, email] of spellings.entries()) await signUp(email, `203.0.${index}.1`);
    expect(await countGrants()).toBe(1);
    const graces = await createAccounts(3);
    await Promise.all(
      graces.map((id, index) => gifts.give({ id, emailNormalised: `grace+${index}@navy.example` }, `203.1.${index}.1`)),
    );
    expect(await countGrants()).toBe(2);
    expect(await signUp('gra.ce@navy.example', '203.2.0.1')).toBe(100_000);
  });

  it('goes to no more than so many an hour, wherever they come from', async () => {
    const few = open({ perNetworkMax: 3, perHourMax: 5 });
    const people = await createAccounts(20);
    await Promise.all(
      people.map((id, index) => few.give({ id, emailNormalised: `p${index}@example.com` }, `10.${index}.0.1`)),
    );
    expect(await countGrants()).toBe(5);
    clock.advanceMs(60 * 60 * 1_000);
    expect(await signUp('later@example.com', '10.99.0.1', few)).toBe(100_000);
  });

  it('is given to an account once', async () => {
    const { accountId: id } = await fixture.createFundedAccount(0);
    for (let round = 0; round < 2; round += 1) await gifts.give({ id, emailNormalised: 'a@example.com' }, '192.0.2.1');
    expect((await fixture.findWallet(id)).posted).toBe(100_000);
  });
});

describe('networkBlockOf', () => {
  it.each([
    ['192.0.2.77', '192.0.2.0/24'],
    ['::ffff:192.0.2.77', '192.0.2.0/24'],
    ['2001:db8:1:2ff::7', '2001:db8:1:200::/56'],
    ['2001:db8:1:2ab:1:2:3:4', '2001:db8:1:200::/56'],
    ['2001:db8::1', '2001:db8:0:0::/56'],
    ['::1', '::1'],
  ])('counts %s with %s', (address, network) => expect(networkBlockOf(address)).toBe(network));
});

describe('hashMailbox', () => {
  it('tells two mailboxes apart', () => {
    expect(hashMailbox('a.b@example.com')).not.toBe(hashMailbox('ab@example.com'));
    expect(hashMailbox('ab@example.com')).not.toBe(hashMailbox('ab@example.org'));
  });
});
