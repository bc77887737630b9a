import { answerOf, reasonOf } from '../../test/cookie-browser.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { FactorApp } from '../../test/factor-app.js';
import { TestOperator } from '../../test/operator-desk.js';

interface Listed {
  readonly id: string;
  readonly hint: string;
  readonly credits: number;
  readonly state: string;
  readonly claimedBy: string | null;
}

const minuteMs = 60_000;

describeOnEachDatabase('Gift codes of operators', (openTestDatabase) => {
  const of = FactorApp.forAll(openTestDatabase);
  let finance: TestOperator;

  beforeEach(async () => {
    // Somebody who has given nothing away yet.
    finance = await TestOperator.join(of, 'finance');
  });

  const create = (input: object = {}, by = finance) =>
    by.change('createGiftCodes(input: $gift) { id code }', {
      gift: { credits: 500, count: 1, reason: 'Spring campaign', ...input },
    });
  const createSome = async (input: object = {}) =>
    answerOf<{ createGiftCodes: { id: string; code: string }[] }>(await create(input)).createGiftCodes;
  const list = async (words = '', by = finance) =>
    answerOf<{ giftCodes: Listed[] }>(await by.ask(`giftCodes${words} { id hint credits state claimedBy }`)).giftCodes;
  const revoke = (id: string, reason = 'Sent to the wrong list', by = finance) =>
    by.change('revokeGiftCode(id: $id, reason: $reason)', { id, reason });
  const readLog = (action: string) =>
    of.app.query(
      `SELECT actor, subject, amount_millicredits, reason FROM operator_event WHERE action = '${action}' ORDER BY id DESC`,
    );

  it('are made by owner and finance with a fresh code, shown once, claimed by a customer, and stand in the log', async () => {
    const [first, second] = await createSome({ count: 2 });
    const [row] = await readLog('create_gift_codes');
    expect(row).toMatchObject({ subject: first?.id, reason: 'Spring campaign' });
    expect([Number(row?.amount_millicredits), String(row?.actor)]).toEqual([
      1_000_000,
      expect.stringContaining(finance.id),
    ]);
    const { accountId, sessionToken } = await of.app.createAccount(0);
    const redeem = 'mutation ($code: String!) { redeemGiftCode(code: $code) { balance } }';
    const claimed = await of.app.graphql(redeem, { code: first?.code }, sessionToken);
    expect(claimed).toEqual({ redeemGiftCode: { balance: 500 } });
    const owner = await TestOperator.join(of, 'owner');
    const [third] = answerOf<{ createGiftCodes: { id: string }[] }>(
      await create({ credits: 1.5 }, owner),
    ).createGiftCodes;
    const known = await list('(first: 3)');
    expect(known.find(({ id }) => id === first?.id)).toMatchObject({ state: 'CLAIMED', claimedBy: accountId });
    expect(known.find(({ id }) => id === second?.id)).toMatchObject({ state: 'OPEN', credits: 500, claimedBy: null });
    expect(known[0]).toMatchObject({ id: third?.id, credits: 1.5 });
    expect(JSON.stringify(known)).not.toContain(second?.code);
    for (const role of ['support', 'read_only'] as const) {
      const other = await TestOperator.join(of, role);
      expect(reasonOf(await create({}, other))).toBe('forbidden');
      expect(reasonOf(await revoke(String(second?.id), 'No', other))).toBe('forbidden');
      expect(await list('(first: 1)', other)).toHaveLength(1);
    }
    of.clock.advanceMs(11 * minuteMs);
    expect(reasonOf(await create())).toBe('fresh_factor_required');
  });

  it('are revoked while nobody has claimed them, with a reason, once', async () => {
    const [code] = await createSome();
    const id = String(code?.id);
    expect(reasonOf(await revoke(id, ' '))).toBe('invalid_value');
    expect(reasonOf(await revoke(id))).toBe('done');
    expect(reasonOf(await revoke(id))).toBe('not_found');
    expect(reasonOf(await revoke('gift_nothing'))).toBe('not_found');
    expect((await list('(first: 1)'))[0]).toMatchObject({ id, state: 'REVOKED' });
    const { sessionToken } = await of.app.createAccount(0);
    const redeem = 'mutation ($code: String!) { redeemGiftCode(code: $code) { balance } }';
    await expect(of.app.graphql(redeem, { code: code?.code }, sessionToken)).rejects.toThrow('cannot be redeemed');
    const logged = (await readLog('revoke_gift_code')).filter(({ subject }) => subject === id);
    expect(logged.map(({ reason }) => reason)).toEqual(['Sent to the wrong list']);
  });

  it('are listed in pages, and are told to be expired once they are', async () => {
    const expiresAt = new Date(of.clock.nowMs() + minuteMs).toISOString();
    const made = await createSome({ count: 3, expiresAt });
    const [newest, ...rest] = await list('(first: 3)');
    expect([newest, ...rest].map((code) => code?.state)).toEqual(['OPEN', 'OPEN', 'OPEN']);
    expect((await list(`(first: 2, after: "${newest?.id}")`)).map(({ id }) => id)).toEqual(rest.map(({ id }) => id));
    of.clock.advanceMs(minuteMs);
    expect((await list(`(first: ${made.length})`)).map(({ state }) => state)).toEqual([
      'EXPIRED',
      'EXPIRED',
      'EXPIRED',
    ]);
  });

  it.each([{ credits: 0 }, { count: 0 }, { count: 1_001 }, { expiresAt: '2020-01-01T00:00:00Z' }, { reason: '' }])(
    'are refused with %j, and then none is made or logged',
    async (input) => {
      const before = [await list(), await readLog('create_gift_codes')];
      expect(reasonOf(await create(input))).toBe('invalid_value');
      expect([await list(), await readLog('create_gift_codes')]).toEqual(before);
    },
  );

  it('give away no more of one operator in 24 hours than they may give to an account alone, however many are made at once', async () => {
    // 100,000 credits, as the settings have it where nobody says otherwise.
    const answers = await Promise.all(Array.from({ length: 6 }, () => create({ credits: 15_000, count: 2 })));
    expect(answers.map(reasonOf).toSorted()).toEqual(['done', 'done', 'done', 'forbidden', 'forbidden', 'forbidden']);
    expect(reasonOf(await create({ credits: 10_000 }))).toBe('done');
    expect(reasonOf(await create({ credits: 0.001 }))).toBe('forbidden');
    expect(reasonOf(await create({ credits: 100_000 }, await TestOperator.join(of, 'finance')))).toBe('done');
  });

  it('are made once for the same word, however often it comes, and are told again, also once they have expired', async () => {
    const expiresAt = new Date(of.clock.nowMs() + 10 * minuteMs).toISOString();
    const order = { credits: 25_000, count: 4, once: 'spring', expiresAt };
    const answers = await Promise.all(Array.from({ length: 5 }, () => createSome(order)));
    const [made = []] = answers;
    expect(answers).toEqual(Array.from({ length: 5 }, () => made));
    const idsOf = (codes: readonly { id: string }[]) => codes.map(({ id }) => id).toSorted();
    expect(idsOf(await list('(first: 4)'))).toEqual(idsOf(made));
    of.clock.advanceMs(11 * minuteMs);
    await finance.prove();
    expect(await createSome(order)).toEqual(made);
    // It has used up the day’s allowance, once.
    expect(reasonOf(await create({ credits: 1 }))).toBe('forbidden');
    expect((await readLog('create_gift_codes')).filter(({ subject }) => subject === made[0]?.id)).toHaveLength(1);
  });

  it.each([{ credits: 2 }, { count: 3 }, { reason: 'Autumn campaign' }, { expiresAt: '2099-12-31T00:00:00Z' }])(
    'are not made for a word that came with something else than %j before, and what it came with is told',
    async (other) => {
      const order = { credits: 1, count: 2, once: 'spring' };
      await createSome(order);
      const before = [await list(), await readLog('create_gift_codes')];
      const { errors } = await create({ ...order, ...other });
      expect(errors?.[0]?.extensions).toMatchObject({ code: 'CONFLICT', field: 'once' });
      expect(errors?.[0]?.message).toContain('2 gift code(s) of 1.000 credits (Spring campaign)');
      expect([await list(), await readLog('create_gift_codes')]).toEqual(before);
    },
  );

  it('are others for another operator with the same word, who is told nothing of the first ones', async () => {
    const first = await createSome({ once: 'spring' });
    const other = answerOf<{ createGiftCodes: { code: string }[] }>(
      await create({ once: 'spring' }, await TestOperator.join(of, 'finance')),
    ).createGiftCodes;
    expect(other[0]?.code).not.toBe(first[0]?.code);
  });

  it('are told again whole when a thousand were made, and lie nowhere in clear', async () => {
    const order = { credits: 1, count: 1_000, once: 'many' };
    const made = await createSome(order);
    expect(new Set(made.map(({ code }) => code)).size).toBe(1_000);
    expect(await createSome(order)).toEqual(made);
    const tables = ['idempotent_answer', 'gift_code', 'operator_event'];
    const stored = JSON.stringify(await Promise.all(tables.map((table) => of.app.query(`SELECT * FROM ${table}`))));
    expect(made.filter(({ code }) => stored.includes(code))).toEqual([]);
  });
});
