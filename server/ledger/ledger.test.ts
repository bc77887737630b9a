import { createId } from '../kernel/ids.js';
import { toMillicredits } from '../kernel/millicredits.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { eventually } from '../test/eventually.js';
import { endingWith, factsAt, grantOf, LedgerFixture } from '../test/ledger-fixture.js';
import { standGuardAsAdmin } from '../test/stand-guard.js';
import type { HoldResult } from './ledger-types.js';

describeOnEachDatabase('Ledger', (openTestDatabase) => {
  const fixture = LedgerFixture.forAll(openTestDatabase);

  type Account = { accountId: string; keyId: string };
  const hold = async (account: Account, amount: number, acceptFrom = amount, callId = createId('call'), price = 1) =>
    fixture.ledger.placeHold({
      callId,
      ...account,
      facts: factsAt(price),
      amountMillicredits: toMillicredits(amount),
      acceptFromMillicredits: toMillicredits(acceptFrom),
    });
  const settle = ({ accountId }: Account, callId: string, promptTokens: number, completionTokens: number) =>
    fixture.ledger.settleHold({ callId, accountId, ending: endingWith(promptTokens, completionTokens) });

  it('charges tokens times price and gives the rest of the hold back', async () => {
    const account = await fixture.createFundedAccount(1_000);
    const callId = createId('call');
    expect(await hold(account, 600, 600, callId, 2)).toMatchObject({
      status: 'held',
      heldMillicredits: 600,
      availableAfterMillicredits: 400,
    });
    expect(await settle(account, callId, 10, 20)).toEqual({
      status: 'settled',
      chargedMillicredits: 60,
      absorbedMillicredits: 0,
      availableAfterMillicredits: 940,
      balanceAfterMillicredits: 940,
      isReplay: false,
    });
    expect(await fixture.findWallet(account.accountId)).toEqual({ posted: 940, pending: 0 });
  });

  it('books a settlement once, however often it is asked for, and answers the first one', async () => {
    const account = await fixture.createFundedAccount(1_000);
    const callId = createId('call');
    await hold(account, 600, 600, callId);
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => settle(account, callId, 10 + n, 20)));
    expect(answers.filter((answer) => answer.status === 'settled' && !answer.isReplay)).toHaveLength(1);
    expect(new Set(answers.map((answer) => 'chargedMillicredits' in answer && answer.chargedMillicredits)).size).toBe(
      1,
    );
    expect(await fixture.countRows('ledger_transfer', `resolves = '${callId}'`)).toBe(1);
  });

  it('releases the whole hold when no tokens were used', async () => {
    const account = await fixture.createFundedAccount(1_000);
    const callId = createId('call');
    await hold(account, 1_000, 1_000, callId);
    expect(await settle(account, callId, 0, 0)).toMatchObject({
      chargedMillicredits: 0,
      availableAfterMillicredits: 1_000,
    });
    expect(await fixture.countRows('ledger_hold', `id = '${callId}' AND state = 'released'`)).toBe(1);
    expect(await fixture.countRows('call_record', `call_id = '${callId}' AND charged_millicredits = 0`)).toBe(1);
  });

  it('charges more than was held only as far as the balance goes, and the operator absorbs the rest', async () => {
    const account = await fixture.createFundedAccount(1_000);
    const callId = createId('call');
    await hold(account, 100, 100, callId);
    expect(await settle(account, callId, 1_000, 500)).toMatchObject({
      chargedMillicredits: 1_000,
      absorbedMillicredits: 500,
      availableAfterMillicredits: 0,
    });
  });

  it('does not let an overage touch what other calls have held', async () => {
    const account = await fixture.createFundedAccount(1_000);
    const [greedy, modest] = [createId('call'), createId('call')];
    await hold(account, 100, 100, greedy);
    await hold(account, 700, 700, modest);
    expect(await settle(account, greedy, 5_000, 0)).toMatchObject({
      chargedMillicredits: 300,
      absorbedMillicredits: 4_700,
    });
    expect(await settle(account, modest, 700, 0)).toMatchObject({ chargedMillicredits: 700, absorbedMillicredits: 0 });
  });

  it('holds what is there when less than wanted but enough is available', async () => {
    const account = await fixture.createFundedAccount(500);
    expect(await hold(account, 10_000, 100)).toMatchObject({ status: 'held', heldMillicredits: 500 });
  });

  it('tells an empty wallet from one whose credits are reserved', async () => {
    const account = await fixture.createFundedAccount(500);
    expect(await hold(account, 501)).toEqual({
      status: 'refused',
      reason: 'insufficient',
      availableMillicredits: 500,
      balanceMillicredits: 500,
      keyLimit: null,
    });
    await hold(account, 400);
    expect(await hold(account, 200)).toMatchObject({ status: 'refused', reason: 'reserved', balanceMillicredits: 500 });
  });

  it('refuses a hold on a revoked key at once', async () => {
    const account = await fixture.createFundedAccount(500);
    await fixture.source.query(`UPDATE api_key SET revoked_at_ms = 1 WHERE id = '${account.keyId}'`);
    expect(await hold(account, 100)).toMatchObject({ status: 'refused', reason: 'key_revoked' });
  });

  it('answers a repeated hold with the first one and never re-opens a finished call', async () => {
    const account = await fixture.createFundedAccount(500);
    const callId = createId('call');
    expect(await hold(account, 100, 100, callId)).toMatchObject({ status: 'held', heldMillicredits: 100 });
    expect(await hold(account, 100, 100, callId)).toMatchObject({ status: 'held', heldMillicredits: 100 });
    expect(await fixture.findWallet(account.accountId)).toEqual({ posted: 500, pending: 100 });
    await fixture.ledger.voidHold(callId, account.accountId);
    expect(await hold(account, 100, 100, callId)).toMatchObject({ status: 'refused', reason: 'call_already_ended' });
    expect(await fixture.findWallet(account.accountId)).toEqual({ posted: 500, pending: 0 });
  });

  it('grants exactly one of 500 concurrent holds on a balance that covers one, in each of 20 rounds', async () => {
    for (let round = 0; round < 20; round += 1) {
      const account = await fixture.createFundedAccount(1_000);
      const results = await Promise.all(Array.from({ length: 500 }, () => hold(account, 1_000)));
      const granted = results.filter((result: HoldResult) => result.status === 'held');
      expect(granted).toHaveLength(1);
      expect(await fixture.findWallet(account.accountId)).toEqual({ posted: 1_000, pending: 1_000 });
    }
  });

  it('books a grant once, however many ask for it at once', async () => {
    const account = await fixture.createFundedAccount(0);
    const grant = () =>
      fixture.ledger.grantCredits(grantOf(account.accountId, 5_000, `grant:promo:${account.accountId}`));
    const answers = await Promise.all(Array.from({ length: 50 }, grant));
    expect(answers.filter((answer) => answer.status === 'granted' && !answer.isReplay)).toHaveLength(1);
    expect(await fixture.findWallet(account.accountId)).toEqual({ posted: 5_000, pending: 0 });
  });

  it('freezes a wallet together with its companion, or not at all', async () => {
    const { accountId } = await fixture.createFundedAccount(10);
    const freeze = (name: string, id: string) =>
      fixture.ledger.setWalletState({
        ...{ accountId, state: 'frozen', reason: 'operator', also: ['audit'] },
        companion: { sql: 'UPDATE account SET name = ? WHERE id = ?', values: [name, id] },
      });
    const readState = async () => {
      const [row] = await fixture.source.query(
        `SELECT w.state, w.frozen_for, a.name FROM ledger_account w JOIN account a ON a.id = w.id WHERE w.id = '${accountId}'`,
      );
      return [row.state, row.frozen_for, row.name];
    };
    expect(await freeze('x', 'acct_missing')).toEqual({ status: 'refused', reason: 'companion_changed_nothing' });
    expect(await readState()).toEqual(['open', null, 'a']);
    expect(await freeze('y', accountId)).toEqual({ status: 'changed' });
    expect(await readState()).toEqual(['frozen', 'audit,operator', 'y']);
    expect(await fixture.ledger.setWalletState({ accountId, state: 'open', reason: 'audit' })).toEqual({
      status: 'changed',
    });
    expect((await readState())[1]).toBe('operator');
  });

  it('books nothing when the companion changes no row, and leaves its neighbours in the batch alone', async () => {
    const account = await fixture.createFundedAccount(100);
    const [refused, granted] = await Promise.all([
      fixture.ledger.grantCredits({
        transferId: `grant:orphan:${account.accountId}`,
        type: 'grant',
        accountId: account.accountId,
        amountMillicredits: toMillicredits(7_000),
        companion: {
          ...{ sql: 'UPDATE account SET name = ? WHERE id = ?', values: ['x', 'acct_missing'] },
          also: [{ sql: 'UPDATE account SET name = ? WHERE id = ?', values: ['x', account.accountId] }],
        },
      }),
      hold(account, 50),
    ]);
    expect(refused).toEqual({ status: 'refused', reason: 'companion_changed_nothing' });
    expect(granted).toMatchObject({ status: 'held' });
    expect(await fixture.findWallet(account.accountId)).toEqual({ posted: 100, pending: 50 });
    const [{ name }] = await fixture.source.query(`SELECT name FROM account WHERE id = '${account.accountId}'`);
    expect(name).not.toBe('x');
  });

  it('lets only the operation at fault fail when a batch cannot be booked', async () => {
    const account = await fixture.createFundedAccount(1_000);
    const callId = createId('call');
    await hold(account, 100, 100, callId);
    const unfit = fixture.ledger.grantCredits({
      transferId: `grant:refused:${account.accountId}`,
      type: 'grant',
      accountId: account.accountId,
      amountMillicredits: toMillicredits(1),
      companion: { sql: 'UPDATE ledger_account SET debt = -1 WHERE id = ?', values: [account.accountId] },
    });
    // On a starved machine the others may reach their time limit meanwhile, as they would with a database that is away; then it is their turn later.
    const untilHeld = async (): Promise<HoldResult> =>
      hold(account, 50).catch((error: { code?: string }) => {
        if (error.code !== 'service_unavailable') throw error;
        return untilHeld();
      });
    const answers = await Promise.allSettled([settle(account, callId, 10, 0), unfit, untilHeld()]);
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    const wallet = () => fixture.findWallet(account.accountId);
    await eventually(async () => (await wallet()).posted === 990 && (await wallet()).pending === 50);
    expect(await wallet()).toEqual({ posted: 990, pending: 50 });
  });

  it('refuses a settlement whose token counts are not plausible numbers', async () => {
    const account = await fixture.createFundedAccount(1_000);
    const callId = createId('call');
    await hold(account, 100, 100, callId);
    for (const tokens of [-1, 0.5, Number.NaN, 1e300, 10_000_001]) {
      await expect(settle(account, callId, tokens, 0)).rejects.toThrow(/Invariant/);
    }
    expect(await fixture.findWallet(account.accountId)).toEqual({ posted: 1_000, pending: 100 });
  });

  it('takes a refund of spent credits below zero, turns calls away, and repays the debt first', async () => {
    const account = await fixture.createFundedAccount(1_000);
    const callId = createId('call');
    await hold(account, 900, 900, callId);
    await settle(account, callId, 900, 0);
    const refund = {
      transferId: `refund:${account.accountId}`,
      type: 'refund' as const,
      accountId: account.accountId,
      amountMillicredits: toMillicredits(1_000),
    };
    const answers = await Promise.all([fixture.ledger.reverseGrant(refund), fixture.ledger.reverseGrant(refund)]);
    expect(answers.map((answer) => 'isReplay' in answer && answer.isReplay)).toEqual([false, true]);
    expect(await fixture.findWallet(account.accountId)).toEqual({ posted: -900, pending: 0 });
    expect(await fixture.countRows('ledger_account', `id = '${account.accountId}' AND debt = 900`)).toBe(1);
    expect(await hold(account, 1)).toMatchObject({ status: 'refused', reason: 'insufficient' });
    await fixture.ledger.grantCredits({ ...refund, transferId: `grant:top-up:${account.accountId}`, type: 'grant' });
    expect(await fixture.countRows('ledger_account', `id = '${account.accountId}' AND debt = 0`)).toBe(1);
    expect(await hold(account, 100)).toMatchObject({ status: 'held', availableAfterMillicredits: 0 });
  });

  it('lets a frozen wallet settle what runs and begin nothing new, until it is opened again', async () => {
    const account = await fixture.createFundedAccount(1_000);
    const callId = createId('call');
    await hold(account, 100, 100, callId);
    await fixture.ledger.setWalletState({ accountId: account.accountId, state: 'frozen', reason: 'operator' });
    expect(await hold(account, 1)).toMatchObject({ status: 'refused', reason: 'wallet_not_open' });
    expect(await settle(account, callId, 50, 0)).toMatchObject({ status: 'settled', chargedMillicredits: 50 });
    await fixture.ledger.setWalletState({ accountId: account.accountId, state: 'open', reason: 'operator' });
    expect(await hold(account, 1)).toMatchObject({ status: 'held' });
  });

  it('sums what was used by hour, key, model and provider in the settlement itself', async () => {
    const account = await fixture.createFundedAccount(1_000);
    for (const [price, tokens] of [
      [1, 30],
      [1, 40],
      [2, 50],
      [2, 0],
    ] as const) {
      const callId = createId('call');
      await hold(account, 200, 200, callId, price);
      await settle(account, callId, tokens, 0);
    }
    const rows = await fixture.source.query(
      `SELECT model, calls, prompt_tokens AS tokens, charged_millicredits AS charged FROM usage_hour WHERE account_id = '${account.accountId}' ORDER BY charged_millicredits`,
    );
    expect(
      rows.map((row: Record<string, unknown>) => [
        row.model,
        Number(row.calls),
        Number(row.tokens),
        Number(row.charged),
      ]),
    ).toEqual([
      ['demo-small', 2, 70, 70],
      ['demo-large', 2, 50, 100],
    ]);
  });

  it('is protected by the database itself against overspending and against rewriting the journal', async () => {
    const account = await fixture.createFundedAccount(100);
    const attempts = [
      `UPDATE ledger_account SET debits_posted = 101 WHERE id = '${account.accountId}'`,
      `UPDATE ledger_account SET debits_pending = 101 WHERE id = '${account.accountId}'`,
      `UPDATE ledger_transfer SET amount = 1 WHERE wallet = '${account.accountId}'`,
      `DELETE FROM ledger_transfer WHERE wallet = '${account.accountId}'`,
    ];
    await standGuardAsAdmin(fixture.database);
    for (const sql of attempts) await expect(fixture.source.query(sql)).rejects.toThrow();
  });

  it('tells keys apart that differ only in case or accent', async () => {
    const account = await fixture.createFundedAccount(0);
    const grants = ['grant:x:abc', 'grant:x:ABC', 'grant:x:ábc'].map((transferId) =>
      fixture.ledger.grantCredits(grantOf(account.accountId, 1, transferId)),
    );
    const answers = await Promise.all(grants);
    expect(answers.every((answer) => answer.status === 'granted' && !answer.isReplay)).toBe(true);
    expect(await fixture.findWallet(account.accountId)).toEqual({ posted: 3, pending: 0 });
  });
});
