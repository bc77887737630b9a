import { networkBlockOf } from '../../kernel/addresses/network-address.js';
import { AppError } from '../../kernel/app-error.js';
import { FakeClock } from '../../kernel/clock.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { LedgerFixture } from '../../test/ledger-fixture.js';
import { makePurchasesParts } from '../../test/purchases-parts.js';
import { LeftGifts } from './left-gifts.js';
import { hashMailbox, SignupGifts } from './signup-gift.js';

describeOnEachDatabase('the gift for signing up', (openTestDatabase) => {
  const fixture = LedgerFixture.forEach(openTestDatabase);
  let clock: FakeClock;
  let gifts: SignupGifts;

  beforeEach(async () => {
    clock = new FakeClock();
    gifts = open({ perNetworkMax: 3, perHourMax: 100 });
  });

  const parts = () => makePurchasesParts(fixture, clock);
  const open = (limits: { perNetworkMax: number; perHourMax: number }) =>
    new SignupGifts({ ...parts(), signupMillicredits: 100_000, limits });
  const give = async (by: SignupGifts, account: { id: string; emailNormalised: string }, address: string) => {
    await comeAgain(() => parts().unitOfWork.transact((transaction) => by.ask(transaction, account, address)));
    return comeAgain(() => by.give(account.id));
  };
  const countRequests = () => fixture.countRows('signup_gift_request');
  const createAccounts = async (count: number) => {
    const ids: string[] = [];
    while (ids.length < count) ids.push((await fixture.createFundedAccount(0)).accountId);
    return ids;
  };
  const signUp = async (emailNormalised: string, address: string, by = gifts) => {
    const [id = ''] = await createAccounts(1);
    await give(by, { id, emailNormalised }, address);
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
        return give(instances[number % 4] as SignupGifts, account, `198.51.100.${number % 256}`);
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
      graces.map((id, index) =>
        give(gifts, { id, emailNormalised: `grace+${index}@navy.example` }, `203.1.${index}.1`),
      ),
    );
    expect(await countGrants()).toBe(2);
    expect(await signUp('gra.ce@navy.example', '203.2.0.1')).toBe(100_000);
    const others = [
      ['joan@yahoo.com', 'joan-shop@yahoo.com', 'joan-2+x@yahoo.com'],
      ['kath@proton.me', 'k.ath@protonmail.com', 'ka-t_h+x@pm.me'],
      ['lise@icloud.com', 'lise+x@me.com', 'lise@mac.com'],
      ['mary@fastmail.com', 'mary+x@fastmail.com', 'any@mary.fastmail.com'],
      ['nina@outlook.com', 'nina+x@outlook.com', 'nina+y@outlook.com'],
    ];
    for (const [index, spelled] of others.flat().entries()) await signUp(spelled, `203.3.${index}.1`);
    expect(await countGrants()).toBe(3 + others.length);
  });

  it('goes to no more than so many an hour, wherever they come from', async () => {
    const few = open({ perNetworkMax: 3, perHourMax: 5 });
    const people = await createAccounts(20);
    await Promise.all(
      people.map((id, index) => give(few, { id, emailNormalised: `p${index}@example.com` }, `10.${index}.0.1`)),
    );
    expect(await countGrants()).toBe(5);
    clock.advanceMs(60 * 60 * 1_000);
    expect(await signUp('later@example.com', '10.99.0.1', few)).toBe(100_000);
  });

  it('is given to an account once', async () => {
    const { accountId: id } = await fixture.createFundedAccount(0);
    for (let round = 0; round < 2; round += 1) await give(gifts, { id, emailNormalised: 'a@example.com' }, '192.0.2.1');
    expect((await fixture.findWallet(id)).posted).toBe(100_000);
  });

  it('is given later, once, by whichever instance looks first, when the ledger or the database was away', async () => {
    const ids = await createAccounts(6);
    const away = () => Promise.reject(new AppError('service_unavailable', 'Away.'));
    const ledger = { ...fixture.ledger, grantCredits: away };
    const limits = { perNetworkMax: 4, perHourMax: 6 };
    const without = { ...parts(), signupMillicredits: 100_000, limits };
    const noLedger = new SignupGifts({ ...without, ledger });
    const { unitOfWork } = parts();
    const noBooking = new SignupGifts({
      ...without,
      unitOfWork: { ...unitOfWork, reader: unitOfWork.reader, transactForServer: away } as never,
    });
    const later = new SignupGifts({ ...without, signupMillicredits: 5 });
    for (const [index, id] of ids.entries()) {
      const account = { id, emailNormalised: `p${index}@example.com` };
      await unitOfWork.transact((transaction) => noLedger.ask(transaction, account, '192.0.2.1'));
      expect(await (index % 2 === 0 ? noLedger : noBooking).give(id)).toBe(false);
    }
    expect([await countGrants(), await countRequests()]).toEqual([0, 6]);
    const looks = [1, 2, 3].map(() => new LeftGifts({ ...without, gifts: later }));
    await Promise.all(looks.map((look) => look.giveLeft()));
    expect([await countGrants(), await countRequests()]).toEqual([0, 6]);
    clock.advanceMs(31_000);
    await Promise.all(looks.map((look) => look.giveLeft()));
    // Those that had their place kept it, although the network was full when their turn came, and at what was promised.
    const posted = await Promise.all(ids.map(async (id) => (await fixture.findWallet(id)).posted));
    expect([posted[0], posted[2], posted[4]]).toEqual([100_000, 100_000, 100_000]);
    expect(posted.reduce((sum, credits) => sum + credits, 0)).toBe(400_000);
    expect([await countGrants(), await countRequests()]).toEqual([4, 0]);
  });

  it('is no more asked for by an account that was deleted meanwhile', async () => {
    const [id = ''] = await createAccounts(1);
    await parts().unitOfWork.transact((transaction) =>
      gifts.ask(transaction, { id, emailNormalised: 'a@b.c' }, '192.0.2.1'),
    );
    await fixture.ledger.setWalletState({ accountId: id, state: 'closing' });
    clock.advanceMs(31_000);
    await new LeftGifts({ ...parts(), gifts }).giveLeft();
    expect([await countGrants(), await countRequests()]).toEqual([0, 0]);
  });

  it('goes to everybody else while those of some accounts fail again and again', async () => {
    const ids = await createAccounts(12);
    for (const [index, id] of ids.entries()) {
      const account = { id, emailNormalised: `q${index}@example.com` };
      await parts().unitOfWork.transact((transaction) => gifts.ask(transaction, account, `10.${index}.0.1`));
    }
    clock.advanceMs(31_000);
    const failing = { give: async (id: string) => !ids.slice(0, 6).includes(id) && gifts.give(id) };
    const look = new LeftGifts({ ...parts(), gifts: failing });
    for (let round = 0; round < 3; round += 1) await look.giveLeft();
    expect([await countGrants(), await countRequests()]).toEqual([6, 6]);
  });
});

/** Does it once more where the database had no connection left in time, as whoever is told so does. */
async function comeAgain<Result>(work: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'BusyPoolError') throw error;
    }
  }
}

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
