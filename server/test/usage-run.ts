import { createId } from '../kernel/ids.js';
import { toMillicredits } from '../kernel/millicredits.js';
import { usageSums } from '../ledger/tables/ledger-columns.js';
import { endingWith, factsAt, type LedgerFixture } from './ledger-fixture.js';
import type { SeededChoices } from './seeded-choices.js';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

interface Caller {
  readonly accountId: string;
  readonly keyId: string;
}

/** Random calls of accounts with limited keys and without, in hours of the last weeks; and random corruptions of what they are summed to. */
export class UsageRun {
  readonly callers: Caller[] = [];
  /** The beginnings of hours that calls began in; all are older than two hours. */
  readonly hours: readonly number[];

  private constructor(
    private readonly fixture: LedgerFixture,
    readonly choices: SeededChoices,
  ) {
    const now = Date.now();
    this.hours = Array.from({ length: 12 }, () => {
      const atMs = now - 3 * hourMs - choices.below(40 * dayMs);
      return atMs - (atMs % hourMs);
    });
  }

  /** Needs a fixture whose leases of holds are over as soon as they begin, so that a hold can be expired at any moment. */
  static async open(fixture: LedgerFixture, choices: SeededChoices): Promise<UsageRun> {
    const run = new UsageRun(fixture, choices);
    for (const period of ['month', 'day', 'week'] as const) {
      const free = await fixture.createFundedAccount(1_000_000_000);
      const limited = { ...free, keyId: await fixture.createKey(free.accountId) };
      await fixture.limitKey(limited, { millicredits: 500_000_000, period });
      run.callers.push(free, limited);
    }
    return run;
  }

  /** One call of any kind, in one of the hours or, unless `isOld`, now. */
  async call({ isOld }: { readonly isOld: boolean }): Promise<void> {
    const { ledger } = this.fixture;
    const { choices } = this;
    const caller = choices.oneOf(this.callers);
    const { accountId } = caller;
    const callId = createId('call');
    const startedAtMs = isOld || choices.chance(60) ? choices.oneOf(this.hours) + choices.below(hourMs) : Date.now();
    const amount = toMillicredits(600);
    const facts = { ...factsAt(choices.oneOf([1, 2])), startedAtMs };
    const hold = { callId, ...caller, facts, amountMillicredits: amount, acceptFromMillicredits: amount };
    const { status } = await ledger.placeHold(hold);
    if (status !== 'held') return;
    const settle = (prompt: number, completion: number) => {
      const cachedTokens = choices.below(prompt + 1);
      return ledger.settleHold({ callId, accountId, ending: { ...endingWith(prompt, completion), cachedTokens } });
    };
    const kind = choices.below(10);
    if (kind === 0) return void (await ledger.voidHold(callId, accountId));
    if (kind === 1) return void (await settle(0, 0));
    if (kind === 2) return void (await settle(500, 200));
    if (kind <= 4) {
      await ledger.renewHold({ callId, accountId, promptTokens: 20, completionTokens: 10 });
      await ledger.expireHold({ callId, accountId });
      if (kind === 4) await settle(60, 40);
      return;
    }
    await settle(choices.below(200), choices.below(100));
  }

  /** Does something wrong to a sum; of hours that began more than two hours ago alone. */
  async corrupt(): Promise<void> {
    const { source } = this.fixture;
    const rows = await source.query(
      `SELECT account_id, hour_ms, key_id, model, provider FROM usage_hour WHERE hour_ms < ${Date.now() - 3 * hourMs} ORDER BY 1, 2, 3, 4, 5`,
    );
    if (rows.length === 0) return;
    const row = this.choices.oneOf<Readonly<Record<string, unknown>>>(rows);
    const one = ['account_id', 'key_id', 'model', 'provider'].map((name) => `${name} = '${row[name]}'`).join(' AND ');
    const where = `${one} AND hour_ms = ${row.hour_ms}`;
    const n = 1 + this.choices.below(50);
    const sum = this.choices.oneOf(usageSums);
    const hours = [
      `UPDATE usage_hour SET ${sum} = COALESCE(${sum}, 0) + ${n} WHERE ${where}`,
      `UPDATE usage_hour SET calls = calls - ${n}, charged_millicredits = charged_millicredits - ${n} WHERE ${where} AND charged_millicredits >= ${n}`,
      `UPDATE usage_hour SET calls = 2 * calls, prompt_tokens = 2 * prompt_tokens, charged_millicredits = 2 * charged_millicredits WHERE ${where}`,
      `DELETE FROM usage_hour WHERE ${where}`,
      `UPDATE usage_hour SET model = 'of nobody ${n} ${createId('call').slice(-8)}' WHERE ${where}`,
      `UPDATE usage_hour SET hour_ms = hour_ms - ${(1_000 + this.choices.below(1_000)) * hourMs} WHERE ${where}`,
    ];
    const beside = [
      `UPDATE usage_late SET calls = calls + ${n}, charged_millicredits = charged_millicredits - ${n} WHERE ${where}`,
      'UPDATE usage_total SET calls = calls + 1',
      'DELETE FROM account_month',
      `UPDATE key_spend SET spent_millicredits = spent_millicredits + ${n}, excess_millicredits = excess_millicredits + ${n}`,
      `UPDATE key_spend SET pending_millicredits = pending_millicredits + ${n}, excess_millicredits = excess_millicredits + ${n}`,
      `UPDATE key_spend SET excess_millicredits = excess_millicredits + ${n}`,
    ];
    await source.query(this.choices.oneOf(this.choices.chance(75) ? hours : beside));
  }

  /** What receipts and hours say of each hour, account, key, model and provider; hours of nothing are left out. */
  async compare(): Promise<{ readonly receipts: readonly string[]; readonly hours: readonly string[] }> {
    const { source } = this.fixture;
    const receipts = new Map<string, number[]>();
    for (const row of await source.query('SELECT * FROM call_record')) {
      const startedAtMs = Number(row.started_at_ms);
      const name = nameOf({ ...row, hour_ms: startedAtMs - (startedAtMs % hourMs) });
      const sums = receipts.get(name) ?? [0, 0, 0, 0, 0, 0];
      const isFailed = !['completed', 'abandoned'].includes(row.outcome);
      const figures = [row.prompt_tokens, row.completion_tokens, row.charged_millicredits, row.cached_tokens ?? 0];
      const added = [1, isFailed ? 1 : 0, ...figures.map(Number)];
      receipts.set(
        name,
        sums.map((so, at) => so + (added[at] ?? 0)),
      );
    }
    const hours = (await source.query('SELECT * FROM usage_hour WHERE calls <> 0 OR charged_millicredits <> 0')).map(
      (row: Readonly<Record<string, unknown>>) => {
        const figures = [row.calls, row.failed_calls, row.prompt_tokens, row.completion_tokens];
        return `${nameOf(row)} ${[...figures, row.charged_millicredits, row.cached_tokens].map(Number).join(' ')}`;
      },
    );
    return { receipts: [...receipts].map(([name, sums]) => `${name} ${sums.join(' ')}`).sort(), hours: hours.sort() };
  }
}

function nameOf(row: Readonly<Record<string, unknown>>): string {
  return [row.account_id, row.hour_ms, row.key_id, row.model, row.provider].join(' ');
}
