import { FakeClock } from '../../kernel/clock.js';
import { tryAtOnce } from '../../test/at-once.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { endingWith, LedgerFixture } from '../../test/ledger-fixture.js';
import { CallReader } from './call-reader.js';
import { findSharedCalls } from './find-shared-calls.js';
import { ReceiptLinks, receiptLinksMax } from './receipt-links.js';

const dayMs = 86_400_000;

describeOnEachDatabase('ReceiptLinks', (openTestDatabase) => {
  const fixture = LedgerFixture.forAll(openTestDatabase);
  let links: ReceiptLinks;
  let clock: FakeClock;
  let account: { accountId: string; keyId: string };
  let callId: string;

  beforeAll(async () => {
    account = await fixture.createFundedAccount(1_000);
    callId = await fixture.call(account, endingWith(10, 20), { heldMillicredits: 100 });
  });
  beforeEach(() => {
    clock = new FakeClock();
    const { unitOfWork } = fixture;
    links = new ReceiptLinks(unitOfWork, new CallReader(unitOfWork), clock);
  });
  afterEach(() => fixture.source.query('DELETE FROM receipt_link'));

  it('show the receipt until they expire, and not a moment longer', async () => {
    const { token, expiresAtMs } = await links.share(account.accountId, callId, 7);
    expect(expiresAtMs).toBe(clock.nowMs() + 7 * dayMs);
    expect(await links.findShared(token)).toMatchObject({ call: { callId, chargedMillicredits: 30 }, expiresAtMs });
    clock.advanceMs(7 * dayMs - 1);
    expect(await links.findShared(token)).not.toBeNull();
    clock.advanceMs(1);
    expect(await links.findShared(token)).toBeNull();
  });

  it('leave nothing in the database that would open the receipt', async () => {
    const { token } = await links.share(account.accountId, callId, 1);
    const rows = await fixture.source.query('SELECT * FROM receipt_link');
    expect(JSON.stringify(rows)).not.toContain(token.slice(4));
    for (const guess of [rows[0].token_hash, `tgr_${'A'.repeat(43)}`, '', "' OR 1=1"]) {
      expect(await links.findShared(guess)).toBeNull();
    }
  });

  it('keep the receipt that they show from being removed, until they expire or are ended', async () => {
    const isKept = async () => {
      const asked = [{ callId, accountId: account.accountId }];
      return (await findSharedCalls(fixture.source.manager, asked, clock.nowMs())).has(callId);
    };
    expect(await isKept()).toBe(false);
    await links.share(account.accountId, callId, 1);
    expect(await isKept()).toBe(true);
    clock.advanceMs(dayMs);
    expect(await isKept()).toBe(false);
    await links.share(account.accountId, callId, 1);
    await links.stopSharing(account.accountId, callId);
    expect(await isKept()).toBe(false);
  });

  it('are made by the owner of the call alone, and ended by nobody else', async () => {
    const stranger = await fixture.createFundedAccount(0);
    await expect(links.share(stranger.accountId, callId, 1)).rejects.toMatchObject({ code: 'not_found' });
    const made = [await links.share(account.accountId, callId, 1), await links.share(account.accountId, callId, 1)];
    expect(await links.stopSharing(stranger.accountId, callId)).toBe(0);
    expect(await links.findShared(made[0]?.token ?? '')).not.toBeNull();
    expect(await links.stopSharing(account.accountId, callId)).toBe(2);
    for (const { token } of made) expect(await links.findShared(token)).toBeNull();
  });

  it('are a hundred at most at once; expired ones make room', async () => {
    for (let n = 0; n < receiptLinksMax; n += 1) await links.share(account.accountId, callId, 1);
    await expect(links.share(account.accountId, callId, 1)).rejects.toMatchObject({ code: 'conflict' });
    clock.advanceMs(dayMs);
    await links.share(account.accountId, callId, 1);
    expect(await fixture.countRows('receipt_link')).toBe(1);
  });

  it('are a hundred at most, however many are made at once', async () => {
    for (let n = 2; n < receiptLinksMax; n += 1) await links.share(account.accountId, callId, 1);
    const { done, refusedAs } = await tryAtOnce(10, () => links.share(account.accountId, callId, 1));
    expect([done, refusedAs]).toEqual([2, ['conflict']]);
    expect(await fixture.countRows('receipt_link')).toBe(receiptLinksMax);
  });
});
