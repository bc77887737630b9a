import { isObjectType } from 'graphql';
import { totpCodeAt } from '../factors/totp.js';
import { buildGraphqlSchema } from '../graphql/graphql-schema.js';
import { resolverClasses } from '../graphql/resolvers.js';
import { nameId } from '../kernel/ids.js';
import { answerOf, reasonOf } from '../test/cookie-browser.js';
import type { TestAccount } from '../test/create-test-app.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { eventually } from '../test/eventually.js';
import { FactorApp } from '../test/factor-app.js';
import { operatorPassword, putInvitation, TestOperator } from '../test/operator-desk.js';
import { SoftwarePasskey } from '../test/software-passkey.js';
import { findKeyId } from '../test/test-keys.js';

const schema = buildGraphqlSchema(resolverClasses, new Map());
const mutationType = schema.getType('OperatorMutation');
const mutations = isObjectType(mutationType) ? Object.keys(mutationType.getFields()) : [];
const grant = 'grantCredits(input: $credit) { isMoved available request { id credits askedBy } }';
const takeBack = 'takeBackCredits(input: $credit) { isMoved available request { id } }';

interface Moved {
  readonly isMoved: boolean;
  readonly isRepeat?: boolean;
  readonly available: number | null;
  readonly request: { readonly id: string } | null;
}

describeOnEachDatabase('Changes of operators', (openTestDatabase) => {
  const of = FactorApp.forAll(openTestDatabase, { ALLOW_SIMULATED_MONEY_FOR_REAL_PROVIDERS: 'true' });
  let owner: TestOperator;
  const finance = TestOperator.forAll(of, 'finance');
  let account: TestAccount;
  let keyId: string;

  beforeAll(async () => {
    owner = await TestOperator.join(of, 'owner');
  }, 60_000);
  beforeEach(async () => {
    account = await of.app.createAccount(5);
    keyId = await findKeyId(of.app, account);
    await owner.prove();
    await finance.prove();
  });

  const credit = (credits: number, more: object = {}) => ({
    credit: { accountId: account.accountId, credits, reason: 'Charged twice', ...more },
  });
  const buy = async (dollars: number) => {
    await of.app.buyCredits(account.sessionToken, dollars);
    const [row] = await of.app.query(
      `SELECT id FROM purchase WHERE account_id = '${account.accountId}' ORDER BY id DESC LIMIT 1`,
    );
    return String(row?.id);
  };
  const refund = (purchaseId: string) => ({ refund: { purchaseId, reason: 'Not as promised' } });
  const refundField = 'refundPurchase(input: $refund) { id state }';
  const move = async (by: TestOperator, field: string, variables: Readonly<Record<string, unknown>>) =>
    Object.values(answerOf<Record<string, Moved>>(await by.change(field, variables)))[0] as Moved;
  const readAvailable = async () => {
    const query = 'account(id: $id) { wallet { available } }';
    const { account: found } = answerOf<{ account: { wallet: { available: number } } }>(
      await owner.ask(query, { id: account.accountId }),
    );
    return found.wallet.available;
  };

  it('stand in the log, each one of the schema, with who, what and why', async () => {
    const { accountId } = account;
    const notice = 'note_01ARZ3NDEKTSV4RRFFQ69G5FAV';
    await of.app.query(
      `INSERT INTO notice (id, subject_key, account_id, channel, recipient, title, body, state, attempts, due_at_ms, created_at_ms) VALUES ('${notice}', 'test', '${accountId}', 'email', 'x@example.com', 'T', 'B', 'given_up', 7, 1, 1)`,
    );
    const other = await TestOperator.join(of, 'support');
    const waits = async () => (await move(finance, grant, credit(2_000_000))).request?.id ?? '';
    const refundWaits = async () => {
      const asked = answerOf<{ refundPurchase: { id: string } }>(
        await finance.change(refundField, refund(await buy(150))),
      );
      return asked.refundPurchase.id;
    };
    const token = await putInvitation(of, 'support');
    const joining = 'mutation ($t: String!) { operator { startJoining(token: $t) { secret } } }';
    const { secret } = answerOf<{ startJoining: { secret: string } }>(
      await of.newBrowser().ask(joining, { t: token }),
    ).startJoining;
    const passkey = new SoftwarePasskey();
    const why = { reason: 'A test' };
    const tomorrow = () => new Date(of.clock.nowMs() + 86_400_000).toISOString();
    const findProviderKey = async () => String((await of.app.query('SELECT id FROM provider_key'))[0]?.id);
    const steps: Readonly<Record<string, () => Promise<[string, Readonly<Record<string, unknown>>]>>> = {
      grantCredits: async () => [grant, credit(5)],
      takeBackCredits: async () => [takeBack, credit(5)],
      approveCredits: async () => ['approveCredits(id: $id)', { id: await waits() }],
      refuseCredits: async () => ['refuseCredits(id: $id, reason: $reason)', { id: await waits(), ...why }],
      refundPurchase: async () => [refundField, refund(await buy(5))],
      approveRefund: async () => ['approveRefund(id: $id) { state }', { id: await refundWaits() }],
      refuseRefund: async () => ['refuseRefund(id: $id, reason: $reason)', { id: await refundWaits(), ...why }],
      freezeAccount: async () => ['freezeAccount(accountId: $accountId, reason: $reason)', { accountId, ...why }],
      openAccount: async () => ['openAccount(accountId: $accountId, reason: $reason)', { accountId, ...why }],
      deleteAccount: async () => {
        const gone = await of.app.createAccount(0);
        const [row] = await of.app.query(`SELECT email FROM account WHERE id = '${gone.accountId}'`);
        const deletion = { accountId: gone.accountId, email: String(row?.email), ...why };
        return ['deleteAccount(input: $deletion)', { deletion }];
      },
      exportAccount: async () => ['exportAccount(input: $file)', { file: { accountId, ...why } }],
      setRiskMark: async () => [
        'setRiskMark(input: $mark) { id }',
        { mark: { accountId, kind: 'WATCHED', note: 'A test' } },
      ],
      clearRiskMark: async () => [
        'clearRiskMark(id: $id, reason: $reason)',
        { id: String((await of.app.query('SELECT id FROM account_risk_mark'))[0]?.id), ...why },
      ],
      revokeKey: async () => ['revokeKey(keyId: $keyId, reason: $reason)', { keyId, ...why }],
      endSessions: async () => ['endSessions(accountId: $accountId, reason: $reason)', { accountId, ...why }],
      createResetLink: async () => ['createResetLink(accountId: $accountId, reason: $reason)', { accountId, ...why }],
      beginCustomerView: async () => [
        'beginCustomerView(input: $view) { id }',
        { view: { accountId, isTold: true, ...why } },
      ],
      endCustomerView: async () => [
        'endCustomerView(id: $id)',
        { id: String((await of.app.query('SELECT id FROM customer_view'))[0]?.id) },
      ],
      resendNotice: async () => ['resendNotice(id: $id)', { id: notice }],
      invite: async () => ['invite(role: $role, reason: $reason)', { role: 'FINANCE', ...why }],
      renew: async () => ['renew(id: $id, reason: $reason)', { id: other.id, ...why }],
      disable: async () => ['disable(id: $id, reason: $reason)', { id: other.id, ...why }],
      createToken: async () => [
        'createToken(input: $token)',
        { token: { name: 'Nightly', role: 'READ_ONLY', days: 1, ...why } },
      ],
      revokeToken: async () => [
        'revokeToken(id: $id, reason: $reason)',
        { id: String((await of.app.query('SELECT id FROM operator_token'))[0]?.id), ...why },
      ],
      addPasskey: async () => {
        const { startPasskey } = answerOf<{ startPasskey: string }>(await owner.change('startPasskey'));
        const added = { name: 'Laptop', response: passkey.create(startPasskey) };
        return ['addPasskey(input: $passkey) { id }', { passkey: added }];
      },
      provePasskey: async () => {
        const begun = answerOf<{ startPasskeyProof: string }>(await owner.change('startPasskeyProof'));
        return [
          'provePasskey(input: $passkeyProof)',
          { passkeyProof: { response: passkey.get(begun.startPasskeyProof) } },
        ];
      },
      finishPasskeySignIn: async () => {
        const { startPasskeySignIn: begun } = answerOf<{ startPasskeySignIn: { options: string; token: string } }>(
          await owner.change('startPasskeySignIn { options token }'),
        );
        const passkeySignIn = { token: begun.token, response: passkey.get(begun.options) };
        return ['finishPasskeySignIn(input: $passkeySignIn)', { passkeySignIn }];
      },
      removePasskey: async () => [
        'removePasskey(id: $id)',
        { id: String((await of.app.query('SELECT id FROM operator_passkey'))[0]?.id) },
      ],
      prove: async () => ['prove(code: $code)', { code: owner.nextCode() }],
      join: async () => {
        const code = totpCodeAt(secret, of.clock.nowMs());
        const input = { token, email: 'new@tollgate.test', name: 'New', password: operatorPassword, code };
        return ['join(input: $join)', { join: input }];
      },
      signIn: async () => [
        'signIn(input: $signIn)',
        { signIn: { email: owner.email, password: operatorPassword, code: owner.nextCode() } },
      ],
      setProvider: async () => [
        'setProvider(input: $provider) { id }',
        { provider: { id: 'openai', rank: 1, ...why } },
      ],
      addProviderKey: async () => [
        'addProviderKey(input: $providerKey)',
        { providerKey: { providerId: 'openai', secret: 'sk-of-a-provider', ...why } },
      ],
      weighProviderKey: async () => [
        'weighProviderKey(keyId: $keyId, weight: $weight, reason: $reason)',
        { keyId: await findProviderKey(), weight: 3, ...why },
      ],
      testProvider: async () => ['testProvider(id: $id) { isAnswered }', { id: 'openai' }],
      removeProviderKey: async () => [
        'removeProviderKey(keyId: $keyId, reason: $reason)',
        { keyId: await findProviderKey(), ...why },
      ],
      removeProvider: async () => ['removeProvider(id: $id, reason: $reason)', { id: 'openai', ...why }],
      applyPrices: async () => [
        'applyPrices(input: $prices) { number }',
        { prices: { document: 'tiers: { lower: 3 }', effectiveAt: tomorrow(), ...why } },
      ],
      withdrawPrices: async () => ['withdrawPrices(number: $number, reason: $reason)', { number: 1, ...why }],
      createPriceGroup: async () => [
        'createPriceGroup(input: $group)',
        { group: { name: 'p', multiplier: 800, ...why } },
      ],
      setPriceGroup: async () => ['setPriceGroup(input: $group)', { group: { name: 'p', multiplier: 900, ...why } }],
      assignPriceGroup: async () => ['assignPriceGroup(input: $priced)', { priced: { accountId, group: 'p', ...why } }],
      blockSignUps: async () => ['blockSignUps(input: $block) { value }', { block: { value: 'example.net', ...why } }],
      unblockSignUps: async () => ['unblockSignUps(input: $block)', { block: { value: 'example.net', ...why } }],
      setSignUpMode: async () => ['setSignUpMode(input: $signUpMode)', { signUpMode: { mode: 'OPEN', ...why } }],
      inviteToSignUp: async () => [
        'inviteToSignUp(input: $signUpInvite) { link }',
        { signUpInvite: { email: 'invited@example.com', isMailed: false, ...why } },
      ],
      withdrawInvitation: async () => [
        'withdrawInvitation(id: $id, reason: $reason)',
        { id: String((await of.app.query('SELECT id FROM sign_up_invitation'))[0]?.id), ...why },
      ],
      setAccountLimits: async () => [
        'setAccountLimits(input: $accountLimits)',
        { accountLimits: { accountId, requestsPerMinute: 600, ...why } },
      ],
      setReceiptRetention: async () => ['setReceiptRetention(input: $retention)', { retention: { days: 400, ...why } }],
      announce: async () => [
        'announce(input: $announcement) { id }',
        { announcement: { isMaintenance: true, text: 'Soon', startsAt: tomorrow(), ...why } },
      ],
      endAnnouncement: async () => [
        'endAnnouncement(id: $id, reason: $reason)',
        { id: String((await of.app.query('SELECT id FROM announcement'))[0]?.id), ...why },
      ],
      createGiftCodes: async () => ['createGiftCodes(input: $gift) { id }', { gift: { credits: 5, count: 1, ...why } }],
      revokeGiftCode: async () => [
        'revokeGiftCode(id: $id, reason: $reason)',
        { id: String((await of.app.query('SELECT id FROM gift_code'))[0]?.id), ...why },
      ],
      sendTestMail: async () => ['sendTestMail { isSent fault }', {}],
      sendTestEvent: async () => ['sendTestEvent { isReceived fault }', {}],
      signOut: async () => ['signOut', {}],
    };
    // What an invited person's app or a passkey is given changes nothing: it can be begun again.
    const silent = ['startJoining', 'startPasskey', 'startPasskeyProof', 'startPasskeySignIn'];
    // They need a payment service; the suite of refunds looks at their lines.
    const ofPayments = ['retryQuarantinedEvent', 'dismissQuarantinedEvent', 'reconcilePurchases'];
    // They need a settlement that the ledger has refused; `settlement-desk.test.ts` looks at theirs.
    const ofSettlements = ['bookSettlement', 'dismissSettlement'];
    const others = [...silent, ...ofPayments, ...ofSettlements];
    expect(mutations.toSorted()).toEqual([...Object.keys(steps), ...others].toSorted());
    for (const [name, prepare] of Object.entries(steps)) {
      const [field, variables] = await prepare();
      // The browser of a person who joins becomes that person's.
      const by = name === 'join' ? await TestOperator.join(of, 'read_only') : owner;
      await of.app.query('DELETE FROM operator_event');
      expect([name, reasonOf(await by.change(field, variables))]).toEqual([name, 'done']);
      const events = await of.app.query('SELECT actor, action, reason FROM operator_event');
      expect([name, events.length]).not.toEqual([name, 0]);
      for (const { actor, reason } of events) {
        expect(actor).toMatch(/^(The owner|New) \(op_[0-9A-Z]{26}\)$/);
        expect(String(reason).length).toBeGreaterThan(2);
      }
    }
    owner = await TestOperator.join(of, 'owner');
  }, 60_000);

  it('move credits once for a word of the operator’s own, and need a reason', async () => {
    expect(await move(owner, grant, credit(50.5, { once: 'T-1' }))).toMatchObject({
      isMoved: true,
      available: 5_050.5,
    });
    expect(await move(owner, grant, credit(50.5, { once: 'T-1' }))).toMatchObject({
      isMoved: true,
      available: 5_050.5,
    });
    const noReason = await owner.change(grant, credit(1, { reason: ' x ' }));
    expect(noReason.errors?.[0]?.extensions).toMatchObject({ reason: 'invalid_value', field: 'reason' });
    expect(reasonOf(await owner.change(grant, credit(-1)))).toBe('invalid_value');
    expect(await move(owner, takeBack, credit(6_000))).toMatchObject({ isMoved: true, available: -949.5 });
    expect(await readAvailable()).toBe(-949.5);
  });

  it('move credits once for a word, whichever operators say it at once, and as earlier releases named it', async () => {
    const { accountId } = await of.app.createAccount(0);
    const say = (by: TestOperator, once: string, credits = 10) =>
      move(by, `${grant.replace('isMoved', 'isMoved isRepeat')}`, {
        credit: { accountId, credits, reason: 'Late', once },
      });
    const posted = async () => (await of.app.findWallet(accountId)).posted;
    const answers = await Promise.all([finance, owner, finance, owner].map((by) => say(by, 'T-5')));
    expect(answers.map(({ isMoved }) => isMoved)).toEqual([true, true, true, true]);
    expect(await say(owner, 'T-5')).toMatchObject({ isMoved: true, isRepeat: true });
    expect(await posted()).toBe(10_000);
    // By the word alone on the server's machine, and with the operator's id from afar.
    const old = { machine: 'T-6', far: nameId('creditRequest', [finance.id, 'grant', accountId, 'T-7']) };
    for (const id of [old.machine, old.far]) {
      await of.app.query(
        `INSERT INTO credit_request (id, account_id, direction, amount_millicredits, reason, asked_by, asked_at_ms, state) VALUES ('${id}', '${accountId}', 'grant', 10000, 'Late', '${finance.id}', ${of.clock.nowMs()}, 'waiting')`,
      );
      expect(reasonOf(await owner.change('approveCredits(id: $id)', { id }))).toBe('done');
    }
    await of.app.query(`DELETE FROM credit_request WHERE id = '${old.machine}'`);
    await of.app.query(`UPDATE credit_request SET state = 'alone' WHERE id = '${old.far}'`);
    expect(await posted()).toBe(30_000);
    for (const by of [owner, finance]) {
      expect([await say(by, 'T-6'), await say(by, 'T-7')]).toMatchObject([{ isRepeat: true }, { isRepeat: true }]);
      const { errors } = await by.change(grant, { credit: { accountId, credits: 11, reason: 'Late', once: 'T-6' } });
      expect(errors?.[0]?.message).toContain('already asked for with 10.000 credits');
    }
    expect(await posted()).toBe(30_000);
  });

  it('answer a word that comes again with other credits or another reason as already asked for, and move nothing', async () => {
    const { accountId } = await of.app.createAccount(0);
    const change = { accountId, reason: 'Late refund', once: 'T-3' };
    expect(await move(owner, grant, { credit: { ...change, credits: 100 } })).toMatchObject({ available: 100 });
    for (const other of [{ credits: 5_000 }, { credits: 100, reason: 'Another letter' }]) {
      const { errors } = await owner.change(grant, { credit: { ...change, ...other } });
      expect(errors?.[0]?.extensions).toMatchObject({ code: 'CONFLICT', field: expect.stringMatching(/once$/) });
      expect(errors?.[0]?.message).toContain('already asked for with 100.000 credits (Late refund)');
    }
    expect(await move(owner, grant, { credit: { ...change, credits: 100 } })).toMatchObject({ available: 100 });
  });

  it('ask a second operator above the set amount, which is counted over a day, and move it once', async () => {
    expect(await move(finance, grant, credit(100_000))).toMatchObject({ isMoved: true });
    const asked = await move(finance, grant, credit(0.001));
    expect(asked).toMatchObject({ isMoved: false, available: null });
    const id = asked.request?.id ?? '';
    expect(await readAvailable()).toBe(105_000);
    const approve = (by: TestOperator) => by.change('approveCredits(id: $id)', { id });
    expect(reasonOf(await approve(finance))).toBe('forbidden');
    const waiting = answerOf<{ creditRequests: { id: string }[] }>(await owner.ask('creditRequests { id }'));
    expect(waiting.creditRequests.map((request) => request.id)).toContain(id);
    const answers = await Promise.all([approve(owner), approve(owner)]);
    expect(answers.map(reasonOf)).toEqual(['done', 'done']);
    expect(await readAvailable()).toBe(105_000.001);
    const refuse = 'refuseCredits(id: $id, reason: $reason)';
    expect(reasonOf(await owner.change(refuse, { id, reason: 'Too late' }))).toBe('conflict');
    // The same word again is the same request.
    const [first, second] = [
      await move(finance, grant, credit(9, { once: 'T-2' })),
      await move(finance, grant, credit(9, { once: 'T-2' })),
    ];
    expect([first.isMoved, second.request?.id]).toEqual([false, first.request?.id]);
  });

  it('are offered again where who approved them was ended before they were booked, and are booked once', async () => {
    const { request } = await move(finance, grant, credit(300_000));
    const id = request?.id ?? '';
    const gone = await TestOperator.join(of, 'owner');
    const nowMs = of.clock.nowMs();
    // As it stands when the decision is written, and the move behind it was refused.
    await of.app.query(
      `UPDATE credit_request SET state = 'approved', decided_by = '${gone.id}', decided_at_ms = ${nowMs} WHERE id = '${id}'`,
    );
    expect(reasonOf(await owner.change('disable(id: $id, reason: $reason)', { id: gone.id, reason: 'Has left' }))).toBe(
      'done',
    );
    const listed = async () =>
      answerOf<{ creditRequests: { id: string }[] }>(await owner.ask('creditRequests { id }')).creditRequests.filter(
        (waiting) => waiting.id === id,
      );
    expect(await listed()).toHaveLength(1);
    const approve = (by: TestOperator) => by.change('approveCredits(id: $id)', { id });
    expect(reasonOf(await approve(finance))).toBe('forbidden');
    const other = await TestOperator.join(of, 'owner');
    await other.prove();
    const answers = (await Promise.all([approve(owner), approve(other)])).map(reasonOf);
    expect(answers).toContain('done');
    expect(await readAvailable()).toBe(305_000);
    expect(await listed()).toEqual([]);
    expect(reasonOf(await approve(await TestOperator.join(of, 'owner')))).toBe('conflict');
    expect(await readAvailable()).toBe(305_000);
  });

  it('pass the set amount together by no crowd of moves at once', async () => {
    const other = await of.app.createAccount(0);
    const change = { credit: { accountId: other.accountId, credits: 40_000, reason: 'Late refund' } };
    const moves = await Promise.all(Array.from({ length: 10 }, () => move(finance, grant, change)));
    expect(moves.filter(({ isMoved }) => isMoved)).toHaveLength(2);
    expect((await of.app.findWallet(other.accountId)).posted).toBe(80_000_000);
  });

  it('freeze and open, end keys and sessions, and tell the account’s owner nothing of where the operator sits', async () => {
    const { accountId } = account;
    const body = { model: 'demo-small', messages: [{ role: 'user', content: 'Hello' }] };
    const call = async () => (await of.app.call(account.secret, body)).status;
    const freeze = (name: string) =>
      owner.change(`${name}(accountId: $accountId, reason: $reason)`, { accountId, reason: 'Stolen card' });
    expect(await call()).toBe(200);
    expect(reasonOf(await freeze('freezeAccount'))).toBe('done');
    expect(await call()).toBeGreaterThanOrEqual(400);
    expect(reasonOf(await freeze('openAccount'))).toBe('done');
    expect(await call()).toBe(200);
    expect(
      reasonOf(await owner.change('revokeKey(keyId: $keyId, reason: $reason)', { keyId, reason: 'In public' })),
    ).toBe('done');
    expect(await call()).toBe(401);
    const events = await of.app.query(
      `SELECT network, actor_id FROM account_event WHERE account_id = '${accountId}' AND kind = 'key_revoked'`,
    );
    expect(events).toEqual([{ network: null, actor_id: null }]);
    expect(reasonOf(await freeze('endSessions'))).toBe('done');
    await expect(of.app.graphql('{ viewer { id } }', {}, account.sessionToken)).rejects.toThrow('UNAUTHENTICATED');
    const link = answerOf<{ createResetLink: string }>(await freeze('createResetLink')).createResetLink;
    expect(link).toContain('/reset-password#');
  }, 30_000);

  it('leave no line in the log for a freeze or a link that was not made', async () => {
    const accountId = 'acct_01ARZ3NDEKTSV4RRFFQ69G5FAV';
    for (const name of ['freezeAccount', 'openAccount', 'createResetLink']) {
      const answer = await owner.change(`${name}(accountId: $accountId, reason: $reason)`, {
        accountId,
        reason: 'Why',
      });
      expect([name, reasonOf(answer)]).toEqual([name, 'not_found']);
    }
    expect(await of.app.query(`SELECT id FROM operator_event WHERE account_id = '${accountId}'`)).toEqual([]);
    const opened = () =>
      owner.change('openAccount(accountId: $accountId, reason: $reason)', {
        accountId: account.accountId,
        reason: 'Fine',
      });
    await of.app.query(
      `UPDATE ledger_account SET state = 'frozen', frozen_for = 'audit,operator' WHERE id = '${account.accountId}'`,
    );
    expect(reasonOf(await opened())).toBe('done');
    const [wallet] = await of.app.query(
      `SELECT state, frozen_for FROM ledger_account WHERE id = '${account.accountId}'`,
    );
    expect(wallet).toEqual({ state: 'open', frozen_for: null });
  });

  it('show an account by whatever a letter quotes, and all that its page has', async () => {
    const { accountId } = account;
    const [row] = await of.app.query(`SELECT email, name FROM account WHERE id = '${accountId}'`);
    const [key] = await of.app.query(`SELECT masked_secret FROM api_key WHERE id = '${keyId}'`);
    const [purchase] = await of.app.query(
      `SELECT id, gateway_session_id FROM purchase WHERE account_id = '${accountId}'`,
    );
    const find = async (text: unknown) => {
      const query = 'accounts(text: $text) { by account { id email } }';
      const { accounts } = answerOf<{ accounts: { by: string; account: { id: string } }[] }>(
        await owner.ask(query, { text: String(text) }),
      );
      return accounts.filter(({ account: found }) => found.id === accountId).map(({ by }) => by);
    };
    expect(await find(accountId)).toEqual(['account']);
    expect(await find(String(row?.email).toUpperCase())).toEqual(['email']);
    expect(await find('a person')).toEqual(['name']);
    expect(await find(keyId)).toEqual(['key']);
    expect(await find(key?.masked_secret)).toEqual(['key']);
    expect(await find(account.secret)).toEqual(['key']);
    expect(await find(purchase?.id)).toEqual(['purchase']);
    expect(await find(purchase?.gateway_session_id)).toEqual(['payment']);
    expect(await find('%')).toEqual([]);
    const page = `account(id: $id) { email wallet { available held debt isFrozen frozenFor } statement(first: 5) { type amount }
      keys { id maskedSecret } calls { id } purchases { id cents status } sessions { id } notices { id } changes { action } }`;
    const found = answerOf<{ account: Record<string, unknown> }>(await owner.ask(page, { id: accountId })).account;
    expect(found).toMatchObject({
      wallet: { available: 5_000, held: 0, debt: 0, isFrozen: false, frozenFor: [] },
      statement: [{ type: 'purchase', amount: 5_000 }],
      keys: [{ id: keyId }],
      purchases: [{ id: purchase?.id, cents: 500, status: 'paid' }],
      sessions: [{ id: expect.stringMatching(/^sess_/) }],
    });
    expect(answerOf(await owner.ask('account(id: $id) { id }', { id: 'nonsense' }))).toEqual({ account: null });
  });

  it('look at the installation: outbox, settlements, quarantined events, the last audit', async () => {
    const watch = `watch { instances { id } outbox { waiting givenUp } givenUpNotices { id } settlements { waiting quarantined }
      quarantinedEvents { id } audit { violations }
      processes { version isSilent callsRunning lastMinute { calls commits } queuedOperations leases { leased } jobs { name } } }`;
    const look = async () =>
      answerOf<{ watch: { processes: { queuedOperations: number }[] } }>(await owner.ask(watch)).watch;
    const found = await look();
    expect(found).toMatchObject({ settlements: { waiting: 0, quarantined: 0 }, quarantinedEvents: [] });
    expect(found).toMatchObject({ processes: [{ callsRunning: 0 }] });
    // The server has work of its own in the ledger now and then.
    await eventually(async () => (await look()).processes[0]?.queuedOperations === 0);
  });

  it('search by an index each, however many accounts there are', async () => {
    const searches = [
      [
        `SELECT id FROM account WHERE email_normalised BETWEEN 'a' AND 'b' ORDER BY email_normalised LIMIT 20`,
        'ux_account_email',
      ],
      [`SELECT id FROM account WHERE name BETWEEN 'a' AND 'b' ORDER BY name LIMIT 20`, 'ix_account_name'],
      [
        `SELECT id FROM api_key WHERE masked_secret BETWEEN 'a' AND 'b' ORDER BY masked_secret LIMIT 20`,
        'ix_api_key_masked',
      ],
      [`SELECT id FROM purchase WHERE gateway_session_id = 'a' LIMIT 1`, 'ix_purchase_session'],
      [`SELECT id FROM operator_event WHERE account_id = 'a' ORDER BY id DESC LIMIT 20`, 'ix_operator_event_account'],
      [`SELECT id FROM credit_request WHERE state = 'waiting' ORDER BY id LIMIT 20`, 'ix_credit_request_state'],
    ] as const;
    for (const [sql, index] of searches) {
      const plan = JSON.stringify(await of.app.query(`${of.app.isSqlite ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN'} ${sql}`));
      expect(plan).toContain(index);
    }
  });
});
