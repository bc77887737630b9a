import { listAccountCommands } from '../../cli/commands/operator-commands.js';
import { listRiskMarkCommands } from '../../cli/commands/risk-mark-commands.js';
import { createId } from '../../kernel/ids.js';
import { answerOf, reasonOf } from '../../test/cookie-browser.js';
import { describeOnEachDatabase, type TestDatabase } from '../../test/each-database.js';
import { FactorApp } from '../../test/factor-app.js';
import { TestOperator } from '../../test/operator-desk.js';
import { runCommand } from '../../test/run-command.js';

const dayMs = 86_400_000;

interface Mark {
  readonly id: string;
  readonly kind: string;
  readonly accountId: string;
  readonly isHeld: boolean;
}

describeOnEachDatabase('Marks of accounts', (openTestDatabase) => {
  let database: TestDatabase;
  let of: FactorApp;
  let support: TestOperator;
  let accountId: string;

  beforeAll(async () => {
    database = await openTestDatabase();
    of = await FactorApp.start(database);
    support = await TestOperator.join(of, 'support');
  }, 60_000);
  beforeEach(async () => {
    await of.app.query('DELETE FROM account_risk_mark');
    await of.app.query('DELETE FROM operator_event');
    ({ accountId } = await of.app.createAccount(0));
  });
  afterAll(async () => {
    await of.app.query("DELETE FROM usage_hour WHERE key_id = 'k'");
    await of.close();
  });

  const set = (kind = 'WATCHED', more: object = {}, by = support) =>
    by.change('setRiskMark(input: $mark) { id kind accountId isHeld }', {
      mark: { accountId, kind, note: 'Five accounts, one card', ...more },
    });
  const setOne = async (kind?: string, more?: object) =>
    answerOf<{ setRiskMark: Mark }>(await set(kind, more)).setRiskMark;
  const clear = (id: string, reason = 'All well') =>
    support.change('clearRiskMark(id: $id, reason: $reason)', { id, reason });
  const list = async (words = '') =>
    answerOf<{ riskMarks: Mark[] }>(await support.ask(`riskMarks${words} { id kind accountId isHeld }`)).riskMarks;
  const read = async <Fields>(fields: string, id = accountId) =>
    answerOf<{ account: Fields }>(await support.ask(`account(id: $id) { ${fields} }`, { id })).account;

  it('are set and cleared by owner and support, each in the log, and stay on the page', async () => {
    const mark = await setOne();
    expect(mark).toMatchObject({ kind: 'WATCHED', accountId, isHeld: true });
    for (const role of ['finance', 'read_only'] as const)
      expect(reasonOf(await set('RESALE', {}, await TestOperator.join(of, role)))).toBe('forbidden');
    expect(await read('markedAs')).toEqual({ markedAs: ['WATCHED'] });
    expect(reasonOf(await clear(mark.id, ' '))).toBe('invalid_value');
    expect(reasonOf(await clear(mark.id))).toBe('done');
    expect(reasonOf(await clear(mark.id))).toBe('not_found');
    const fields = 'markedAs riskMarks { id note isHeld setBy clearedBy clearedReason clearedAt }';
    const who = expect.stringContaining(support.id);
    expect(await read(fields)).toEqual({
      markedAs: [],
      riskMarks: [
        {
          ...{ id: mark.id, note: 'Five accounts, one card', isHeld: false, setBy: who, clearedBy: who },
          ...{ clearedReason: 'All well', clearedAt: expect.any(String) },
        },
      ],
    });
    const log = await of.app.query(
      `SELECT action, subject, reason FROM operator_event WHERE account_id = '${accountId}' ORDER BY id`,
    );
    expect(log.map(({ action, subject, reason }) => [action, subject, reason])).toEqual([
      ['set_risk_mark', mark.id, 'watched: Five accounts, one card'],
      ['clear_risk_mark', mark.id, 'watched: All well'],
    ]);
  });

  it('are one of a kind at a time, until it is cleared or has ended, however many set it at once', async () => {
    const answers = await Promise.all([set(), set(), set()]);
    expect(answers.map(reasonOf).toSorted()).toEqual(['conflict', 'conflict', 'done']);
    expect(answers.find(({ errors }) => errors)?.errors?.[0]?.message).toContain('Clear that mark first');
    expect(await of.app.query("SELECT id FROM operator_event WHERE action = 'set_risk_mark'")).toHaveLength(1);
    const [first] = await list();
    await clear(first?.id ?? '');
    const until = new Date(of.clock.nowMs() + 60_000).toISOString();
    const ending = await setOne('WATCHED', { until });
    expect(reasonOf(await set())).toBe('conflict');
    of.clock.advanceMs(60_000);
    expect(await read('markedAs')).toEqual({ markedAs: [] });
    expect(reasonOf(await clear(ending.id))).toBe('not_found');
    expect((await setOne()).isHeld).toBe(true);
    expect((await read<{ riskMarks: Mark[] }>('riskMarks { isHeld }')).riskMarks.map(({ isHeld }) => isHeld)).toEqual([
      ...[true, false, false],
    ]);
  });

  it('refuse what nobody could use a year later, and accounts that are not there', async () => {
    for (const more of [{ note: ' x ' }, { note: 'x'.repeat(501) }, { until: new Date(1).toISOString() }])
      expect(reasonOf(await set('WATCHED', more))).toBe('invalid_value');
    expect(reasonOf(await set('WATCHED', { accountId: createId('account') }))).toBe('not_found');
    expect(await list()).toEqual([]);
  });

  it('are listed a page at a time, the newest first, each kind by its index', async () => {
    const kinds = ['WATCHED', 'RESALE', 'TRUSTED', 'SHARED_KEY'];
    const ids: string[] = [];
    for (const kind of kinds) ids.unshift((await setOne(kind)).id);
    expect((await list('(first: 2)')).map(({ id }) => id)).toEqual(ids.slice(0, 2));
    expect((await list(`(first: 3, after: "${ids[1]}")`)).map(({ id }) => id)).toEqual(ids.slice(2));
    expect((await list('(kind: RESALE)')).map(({ kind }) => kind)).toEqual(['RESALE']);
    expect(reasonOf(await support.ask('riskMarks(first: 101) { id }'))).toBe('invalid_value');
    const sql = "SELECT id FROM account_risk_mark WHERE living_kind = 'resale' ORDER BY id DESC LIMIT 50";
    const plan = await of.app.query(`${of.app.isSqlite ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN'} ${sql}`);
    expect(JSON.stringify(plan)).toContain('ix_account_risk_mark_kind');
  });

  it('show what may be abuse of one account, and leave trusted ones out of the lists', async () => {
    // Those of the other accounts of this suite.
    await of.app.query("DELETE FROM account_event WHERE kind = 'signed_up'");
    const hourMs = 3_600_000;
    const thisHour = Math.floor(of.clock.nowMs() / hourMs) * hourMs;
    await of.app.query(
      `INSERT INTO usage_hour (account_id, hour_ms, key_id, model, provider, calls, failed_calls, prompt_tokens, completion_tokens, charged_millicredits, absorbed_millicredits) VALUES ('${accountId}', ${thisHour}, 'k', 'm', 'p', 1, 0, 0, 0, 9000000, 0)`,
    );
    for (const network of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) {
      const whose = network === '192.0.2.1' ? accountId : createId('account');
      await of.app.query(
        `INSERT INTO account_event (id, account_id, kind, network, created_at_ms) VALUES ('${createId('accountEvent')}', '${whose}', 'signed_up', '${network}', 1)`,
      );
    }
    const { hints } = await read<{ hints: { kind: string; words: string }[] }>('hints { kind words }');
    expect(hints).toEqual([
      { kind: 'sign_ups_by_network', words: 'One of 3 accounts that signed up from 192.0.2.0/24 in a week.' },
      { kind: 'spending_spike', words: expect.stringContaining('9000.000 credits were used in 24 hours') },
    ]);
    const look = async () => {
      const fields =
        'trustedAccounts spendingSpikes { accountId marks } signUps { networks { network accounts markedIds } }';
      const { abuse } = answerOf<{
        abuse: {
          trustedAccounts: number;
          spendingSpikes: { accountId: string; marks: string[] }[];
          signUps: { networks: { network: string; accounts: number; markedIds: string[] }[] };
        };
      }>(await support.ask(`abuse { ${fields} }`));
      const network = abuse.signUps.networks.find((row) => row.network === '192.0.2.0/24');
      return [abuse.trustedAccounts, abuse.spendingSpikes.filter((row) => row.accountId === accountId), network];
    };
    await setOne('WATCHED');
    expect(await look()).toEqual([
      0,
      [{ accountId, marks: ['WATCHED'] }],
      { network: '192.0.2.0/24', accounts: 3, markedIds: [accountId] },
    ]);
    await setOne('TRUSTED');
    expect(await look()).toEqual([1, [], { network: '192.0.2.0/24', accounts: 2, markedIds: [] }]);
  });

  it('go with their account', async () => {
    await setOne();
    const owner = await TestOperator.join(of, 'owner');
    const [row] = await of.app.query(`SELECT email FROM account WHERE id = '${accountId}'`);
    const deletion = { accountId, email: String(row?.email), reason: 'As they asked' };
    expect(reasonOf(await owner.change('deleteAccount(input: $deletion)', { deletion }))).toBe('done');
    expect(await of.app.query('SELECT id FROM account_risk_mark')).toEqual([]);
  });

  it('are none of an account that is deleted while it is marked', async () => {
    const owner = await TestOperator.join(of, 'owner');
    for (let round = 0; round < 5; round += 1) {
      ({ accountId } = await of.app.createAccount(0));
      const [row] = await of.app.query(`SELECT email FROM account WHERE id = '${accountId}'`);
      const deletion = { accountId, email: String(row?.email), reason: 'As they asked' };
      const marking = ['WATCHED', 'RESALE', 'GIFT_FARMING'].map((kind) => set(kind));
      const [deleted, ...marked] = await Promise.all([
        owner.change('deleteAccount(input: $deletion)', { deletion }),
        ...marking,
      ]);
      expect(reasonOf(deleted)).toBe('done');
      for (const answer of marked) expect(['done', 'not_found']).toContain(reasonOf(answer));
      expect(await of.app.query(`SELECT id FROM account_risk_mark WHERE account_id = '${accountId}'`)).toEqual([]);
      expect(reasonOf(await set())).toBe('not_found');
    }
  });

  it('are set, listed and cleared at the command line', async () => {
    const run = async (name: string, subject = '', options: Record<string, string> = {}) =>
      (await runCommand(listRiskMarkCommands, database, { name, subject, options })).output;
    const until = new Date(of.clock.nowMs() + 40 * dayMs).toISOString().slice(0, 10);
    const said = await run('account mark', accountId, { kind: 'resale', note: 'Sells on', until });
    expect(said).toContain(`${accountId}  resale until ${until}T00:00:00.000Z`);
    const [mark] = JSON.parse(await run('account marks', '', { json: 'true', kind: 'resale' })) as Mark[];
    expect(mark).toMatchObject({ accountId, kind: 'resale', isHeld: true });
    expect(await run('account marks')).toBe(said);
    const show = { name: 'account show', subject: accountId, options: {} };
    const shown = (await runCommand(listAccountCommands, database, show)).output;
    expect(shown).toContain(`marked     resale until ${until}T00:00:00.000Z  ${mark?.id}  by `);
    await expect(run('account mark', accountId, { kind: 'resale', note: 'Again' })).rejects.toThrow('marked `resale`');
    expect(await run('account unmark', mark?.id, { reason: 'All well' })).toBe(`${mark?.id} is cleared.`);
    expect(await run('account marks')).toBe('');
    await expect((async () => run('account mark', accountId, { kind: 'bad', note: 'No' }))()).rejects.toThrow('--kind');
    await expect(
      (async () => run('account mark', accountId, { kind: 'resale', note: 'No', until: '2026-02-31' }))(),
    ).rejects.toThrow('--until');
  });
});
