import { createId, leastIdAt } from '../../kernel/ids.js';
import { answerOf, reasonOf } from '../../test/cookie-browser.js';
import type { TestAccount } from '../../test/create-test-app.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { FactorApp } from '../../test/factor-app.js';
import { TestOperator } from '../../test/operator-desk.js';
import { postGraphql } from '../../test/post-graphql.js';

const hourMs = 3_600_000;
const signUpMutation = 'mutation ($input: SignUpInput!) { signUp(input: $input) { account { id } } }';

interface Answer {
  readonly data?: { readonly signUp?: { readonly account: { readonly id: string } } | null } | null;
  readonly errors?: readonly {
    readonly message: string;
    readonly extensions: { readonly code: string; readonly field?: string };
  }[];
}

describeOnEachDatabase('What operators do about abuse', (openTestDatabase) => {
  let of: FactorApp;
  let support: TestOperator;
  let account: TestAccount;

  beforeAll(async () => {
    of = await FactorApp.start(await openTestDatabase(), Date.now(), { TRUST_PROXY: '1', SIGNUPS_PER_HOUR: '100' });
    support = await TestOperator.join(of, 'support');
    account = await of.app.createAccount(5);
  }, 60_000);
  afterAll(async () => {
    // Rows that neither ledger nor purchases have written.
    await of.app.query('DELETE FROM auto_top_up_charge');
    await of.app.query("DELETE FROM purchase WHERE status = 'expired'");
    await of.app.query("DELETE FROM usage_hour WHERE key_id = 'k'");
    await of.close();
  });

  async function signUp(email: string, address: string): Promise<Answer> {
    const input = { email, password: 'a long enough password' };
    const response = await postGraphql(
      of.app.baseUrl,
      { query: signUpMutation, variables: { input } },
      { 'x-forwarded-for': address },
    );
    return (await response.json()) as Answer;
  }
  const change = (field: 'blockSignUps' | 'unblockSignUps', value: string, reason = 'Gift farming') =>
    support.change(`${field}(input: $block) ${field === 'blockSignUps' ? '{ value }' : ''}`, {
      block: { value, reason },
    });
  const block = async (value: string) =>
    answerOf<{ blockSignUps: { value: string } }>(await change('blockSignUps', value)).blockSignUps.value;

  it('refuses sign-ups from blocked networks and mail domains with the remedy, until they are let in again', async () => {
    expect(await block('203.0.113.77/24')).toBe('203.0.113.0/24');
    expect(await block('2001:DB8:1:2ff::1/56')).toBe('2001:db8:1:200::/56');
    expect(await block('@Throwaway.Example')).toBe('throwaway.example');
    for (const address of ['203.0.113.1', '::ffff:203.0.113.9', '2001:db8:1:2aa::9']) {
      const [refused] = (await signUp('ada@example.org', address)).errors ?? [];
      expect([address, refused?.extensions.code]).toEqual([address, 'FORBIDDEN']);
      expect(refused?.message).toContain('Contact the operator of this server');
    }
    for (const email of ['ada@throwaway.example', 'ada@mail.THROWAWAY.example']) {
      const [refused] = (await signUp(email, '198.51.100.1')).errors ?? [];
      expect(refused?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', field: 'email' });
      expect(refused?.message).toContain('Use another address');
    }
    expect((await signUp('ada@notthrowaway.example', '203.0.114.1')).data?.signUp).toBeTruthy();
    expect((await signUp('eve@example.org', '2001:db8:1:3aa::9')).data?.signUp).toBeTruthy();
    // Who is there already signs in from anywhere.
    const listed = answerOf<{ signUpBlocks: object[] }>(await support.ask('signUpBlocks { value reason createdBy }'));
    expect(listed.signUpBlocks).toContainEqual({
      ...{ value: 'throwaway.example', reason: 'Gift farming' },
      createdBy: expect.stringContaining(support.id),
    });
    for (const value of ['203.0.113.0/24', '2001:db8:1:200::/56', 'throwaway.example']) {
      expect(reasonOf(await change('unblockSignUps', value))).toBe('done');
    }
    expect((await signUp('ada@throwaway.example', '203.0.113.1')).data?.signUp).toBeTruthy();
    const rows = await of.app.query(
      "SELECT action, subject FROM operator_event WHERE action IN ('block_sign_up', 'unblock_sign_up') ORDER BY id",
    );
    expect(rows.map(({ action, subject }) => [action, subject])).toEqual([
      ['block_sign_up', '203.0.113.0/24'],
      ['block_sign_up', '2001:db8:1:200::/56'],
      ['block_sign_up', 'throwaway.example'],
      ['unblock_sign_up', '203.0.113.0/24'],
      ['unblock_sign_up', '2001:db8:1:200::/56'],
      ['unblock_sign_up', 'throwaway.example'],
    ]);
  }, 30_000);

  it.each([
    ['::ffff:198.51.100.7', '198.51.100.7/32'],
    ['::FFFF:c633:6407/112', '198.51.0.0/16'],
    ['2001:db8::7', '2001:db8:0:0::/64'],
  ])('takes %s for the network that it is', async (text, network) => {
    expect(await block(text)).toBe(network);
    expect(reasonOf(await change('unblockSignUps', network))).toBe('done');
  });

  it('closes sign-up for everybody, and opens it again', async () => {
    expect(await block('Everybody')).toBe('everybody');
    const [refused] = (await signUp('grace@example.org', '198.51.100.7')).errors ?? [];
    expect([refused?.extensions.code, refused?.message]).toEqual([
      'FORBIDDEN',
      expect.stringContaining('Nobody can sign up'),
    ]);
    expect(reasonOf(await change('unblockSignUps', 'everybody'))).toBe('done');
    expect((await signUp('grace@example.org', '198.51.100.7')).data?.signUp).toBeTruthy();
  });

  it('refuses to block what is neither network nor domain, what is blocked already, and without a reason', async () => {
    for (const value of [
      '',
      'com',
      '203.0.113.0/25',
      '2001:db8::/10',
      'a b.example',
      '1.2.3',
      'x.example/24',
      'ada@example.com',
    ]) {
      expect([value, reasonOf(await change('blockSignUps', value))]).toEqual([value, 'invalid_value']);
    }
    expect(reasonOf(await change('blockSignUps', 'example.net', ' x '))).toBe('invalid_value');
    expect(await block('198.51.100.200')).toBe('198.51.100.200/32');
    expect(reasonOf(await change('blockSignUps', '198.51.100.200/32'))).toBe('conflict');
    expect(reasonOf(await change('unblockSignUps', 'example.net'))).toBe('not_found');
    const long = `${'a'.repeat(60)}.example`;
    await block(long);
    const [row] = await of.app.query(
      `SELECT reason FROM operator_event WHERE subject = '${long.slice(0, 40)}' AND action = 'block_sign_up'`,
    );
    expect(row?.reason).toBe(`${long}: Gift farming`);
  });

  it('counts sign-ups and claimed gifts by network, declined cards and spending spikes, each by its index', async () => {
    // Far from what the others did.
    of.clock.advanceMs(30 * 24 * hourMs);
    support = await TestOperator.join(of, 'support');
    const nowMs = of.clock.nowMs();
    const idAt = (kind: 'accountEvent' | 'purchase', atMs: number) =>
      leastIdAt(kind, atMs).slice(0, -16) + createId(kind).slice(-16);
    const event = async (kind: string, accountId: string, network: string | null, agoMs: number) => {
      const id = idAt('accountEvent', nowMs - agoMs);
      const where = network === null ? 'NULL' : `'${network}'`;
      await of.app.query(
        `INSERT INTO account_event (id, account_id, kind, network, created_at_ms) VALUES ('${id}', '${accountId}', '${kind}', ${where}, 1)`,
      );
    };
    await event('signed_up', 'acct_1', '192.0.2.1', 3_000);
    await event('signed_up', 'acct_2', '192.0.2.200', 2_000);
    await event('signed_up', 'acct_3', '2001:db8:0:100::/56', 1_000);
    await event('signed_up', 'acct_4', null, 25 * hourMs);
    await event('gift_claimed', 'acct_1', '192.0.2.1', 1_000);
    await event('gift_claimed', 'acct_1', '192.0.2.9', 900);
    const { accountId } = account;
    for (const [state, cardId] of [
      ['failed', 'pm_1'],
      ['failed', 'pm_2'],
      ['paid', 'pm_3'],
    ] as const) {
      const id = idAt('purchase', nowMs - hourMs);
      await of.app.query(
        `INSERT INTO purchase (id, account_id, gateway, amount_cents, currency, credits_millicredits, status, created_at_ms) VALUES ('${id}', '${accountId}', 'simulated', 500, 'usd', 5000000, 'expired', ${nowMs})`,
      );
      await of.app.query(
        `INSERT INTO auto_top_up_charge (purchase_id, account_id, month_utc, amount_cents, card_id, state) VALUES ('${id}', '${accountId}', '2026-01', 500, '${cardId}', '${state}')`,
      );
    }
    const steady = await of.app.createAccount(0);
    const thisHour = Math.floor(nowMs / hourMs) * hourMs;
    const use = async (id: string, hour: number, charged: number) =>
      of.app.query(
        `INSERT INTO usage_hour (account_id, hour_ms, key_id, model, provider, calls, failed_calls, prompt_tokens, completion_tokens, charged_millicredits, absorbed_millicredits) VALUES ('${id}', ${hour}, 'k', 'm', 'p', 1, 0, 0, 0, ${charged}, 0)`,
      );
    await use(accountId, thisHour, 3_000_000);
    await use(accountId, thisHour - 23 * hourMs, 2_000_000);
    await use(accountId, thisHour - 24 * hourMs, 7_000_000);
    await use(steady.accountId, thisHour, 5_000_000);
    await use(steady.accountId, thisHour - 24 * hourMs, 7_000_001 + 6);
    const fields = `signUps { isSample networks { network events accounts accountIds } } giftsClaimed { networks { network events accounts } }
      declinedCards { accountId declined cards } spendingSpikes { accountId spent usualDay }`;
    const { abuse } = answerOf<{ abuse: object }>(await support.ask(`abuse { ${fields} }`));
    expect(abuse).toEqual({
      signUps: {
        isSample: false,
        networks: [
          { network: '192.0.2.0/24', events: 2, accounts: 2, accountIds: ['acct_2', 'acct_1'] },
          { network: '2001:db8:0:100::/56', events: 1, accounts: 1, accountIds: ['acct_3'] },
        ],
      },
      giftsClaimed: { networks: [{ network: '192.0.2.0/24', events: 2, accounts: 1 }] },
      declinedCards: [{ accountId, declined: 2, cards: 2 }],
      spendingSpikes: [{ accountId, spent: 5_000, usualDay: 1_000 }],
    });
    const week = answerOf<{ abuse: { signUps: { networks: object[] } } }>(
      await support.ask(`abuse(hours: 168) { ${fields} }`),
    );
    expect(week.abuse.signUps.networks).toContainEqual({ network: '', events: 1, accounts: 1, accountIds: ['acct_4'] });
    const plan = await of.app.query(
      `${of.app.isSqlite ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN FORMAT=TRADITIONAL'} SELECT account_id FROM account_event WHERE kind = 'signed_up' AND id >= 'evnt_0' ORDER BY id DESC LIMIT 10`,
    );
    expect(JSON.stringify(plan)).toContain('ix_account_event_kind');
  }, 30_000);
});
