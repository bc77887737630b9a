import type { UnitOfWork } from '../database/unit-of-work.js';
import { FakeClock } from '../kernel/clock.js';
import { createId } from '../kernel/ids.js';
import { silentLogger } from '../kernel/logger.js';
import { toMillicredits } from '../kernel/millicredits.js';
import { JournalSummer } from '../ledger/journal/journal-summer.js';
import type { Ledger } from '../ledger/ledger.js';
import type { CallEnding, SettleInput } from '../ledger/ledger-types.js';
import { CallRetention } from '../ledger/receipts/call-retention.js';
import { ProvenTime } from '../ledger/receipts/proven-time.js';
import type { CallRecordEntity } from '../ledger/tables/call-record.entity.js';
import { TotalsSummer } from '../totals/totals-summer.js';
import { UsageSummer } from '../usage/sums/usage-summer.js';
import { begin, type FundedAccount } from './lease-calls.js';
import { endingWith, type LedgerFixture } from './ledger-fixture.js';
import type { SeededChoices } from './seeded-choices.js';
import { openSteppedLedger } from './stepped-ledger.js';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const leaseTimes = { leaseMs: 60_000, graceMs: 30_000 };
/** Of the time by which a process trusts its leases: what it takes is no matter here. */
const msPerStep = 20;
const accountCount = 3;
const endedKept = 200;

interface Process {
  readonly name: string;
  readonly ledger: Ledger;
  /** How long it has stood still so far. */
  readonly pause: { ms: number };
}

interface RunningCall {
  readonly callId: string;
  readonly account: FundedAccount;
  readonly held: number;
  readonly owner: Process;
}

/**
 * Calls of two processes whose clock is set forward and back, late settlements, and all jobs that sum up, remove or sum again, in
 * random order, with restarts in between. It keeps what was answered, and each receipt that was removed.
 */
export class SumsRun {
  readonly clock = new FakeClock();
  readonly accounts: FundedAccount[] = [];
  /** By hand: more than zero for credits in. */
  readonly moves: { readonly accountId: string; readonly amount: number }[] = [];
  /** By call: what the ledger said that it was charged in all. */
  readonly charged = new Map<string, number>();
  /** Receipts that were removed because of their age. */
  readonly archive = new Map<string, CallRecordEntity>();
  readonly counts: Record<string, number> = {};
  readonly #processes: Process[] = [];
  #running: RunningCall[] = [];
  readonly #ended: SettleInput[] = [];
  #steps = 0;
  /** By how much the clock is ahead of what it should say. */
  #aheadMs = 0;
  #jobs: ReturnType<SumsRun['openJobs']>;

  constructor(
    readonly fixture: LedgerFixture,
    readonly choices: SeededChoices,
  ) {
    this.#jobs = this.openJobs();
  }

  get unitOfWork(): UnitOfWork {
    return this.fixture.unitOfWork;
  }

  async open(): Promise<void> {
    for (let n = 0; n < 2; n += 1) this.#processes.push(this.#openProcess());
    for (let n = 0; n < accountCount; n += 1) {
      const account = await this.fixture.createFundedAccount(0);
      this.accounts.push(account, { ...account, keyId: await this.fixture.createKey(account.accountId) });
      // The last one is poor.
      await this.#move(account, n === accountCount - 1 ? 20_000 : 2_000_000);
    }
  }

  async close(): Promise<void> {
    for (const { ledger } of this.#processes) await ledger.close();
  }

  async step(): Promise<void> {
    this.#steps += 1;
    const dice = this.choices.below(1_000);
    if (dice < 380) return this.#count('calls', () => this.#callOnAndOn());
    if (dice < 600) return this.#count('time', () => this.#wait());
    if (dice < 640) return this.#count('clock', () => this.#setClock());
    if (dice < 680) return this.#count('expire', () => this.#expireAny());
    if (dice < 720) return this.#count('late', () => this.#endAll());
    if (dice < 750) return this.#count('again', () => this.#endAgain());
    if (dice < 790) return this.#count('return', () => this.#returnLeases());
    if (dice < 820) return this.#count('move', () => this.#moveAny());
    if (dice < 840) return this.#count('restart', () => this.#restart());
    return this.#count('jobs', () => this.#runJobs());
  }

  /** The jobs of a server as it begins: they know nothing of what others have done. */
  openJobs() {
    const { clock, unitOfWork } = this;
    const findNowMs = async () => clock.nowMs();
    const common = { unitOfWork, clock, findNowMs, logger: silentLogger };
    const time = new ProvenTime(unitOfWork, clock, findNowMs);
    return {
      sums: new UsageSummer({ ...common, busyCalls: 3, restPerSet: 0 }),
      totals: new TotalsSummer({ ...common, restPerStep: 0, accountsPerStep: 1, findPriceVersionAt: async () => 0 }),
      journal: new JournalSummer(unitOfWork, clock, { findNowMs, partRowsMax: 20 }),
      retention: new CallRetention({
        ...{ unitOfWork, clock, logger: silentLogger, isOneWriter: this.fixture.database.kind === 'sqlite' },
        findTime: () => time.read(),
        findDays: async () => 62,
        findNeeded: async () => new Set(),
        keep: async (receipts) => {
          for (const receipt of receipts) this.archive.set(receipt.callId, receipt);
        },
      }),
      time,
    };
  }

  async #count(name: string, work: () => Promise<void>): Promise<void> {
    await work();
    this.counts[name] = (this.counts[name] ?? 0) + 1;
  }

  #openProcess(): Process {
    const name = createId('instance');
    const pause = { ms: 0 };
    const readMs = () => this.#steps * msPerStep + pause.ms;
    const ledger = openSteppedLedger(this.fixture, { instance: name, times: leaseTimes, clock: this.clock, readMs });
    return { name, ledger, pause };
  }

  /** Some calls of one key at once, most of which end at once, too. */
  async #callOnAndOn(): Promise<void> {
    const account = this.choices.oneOf(this.accounts);
    const owner = this.choices.oneOf(this.#processes);
    const calls = 1 + this.choices.below(8);
    await Promise.all(Array.from({ length: calls }, () => this.#begin(owner, account)));
    while (this.#running.length > 0 && this.choices.chance(80)) await this.#end();
  }

  async #begin(owner: Process, account: FundedAccount): Promise<void> {
    const amount = 1 + this.choices.below(600);
    const priceMultiplier = this.choices.oneOf([1_000, 500]);
    const result = await begin(owner.ledger, account, amount, { startedAtMs: this.clock.nowMs(), priceMultiplier });
    if (result.status === 'held') {
      this.#running.push({ callId: result.callId, account, held: result.heldMillicredits, owner });
    }
  }

  async #end(): Promise<void> {
    const index = this.choices.below(Math.max(1, this.#running.length));
    const [call] = this.#running.splice(index, 1);
    if (call === undefined) return;
    const { callId, account, held, owner } = call;
    const ending = this.#makeEnding(held);
    const input = { callId, accountId: account.accountId, ending };
    const covered = owner.ledger.leases?.cover(input) ?? input;
    await this.#settle(covered, owner.ledger);
    this.#ended.push(covered);
    if (this.#ended.length > endedKept) this.#ended.shift();
  }

  async #settle(input: SettleInput, ledger: Ledger): Promise<void> {
    const result = await ledger.bookAgain(input);
    // Its receipt may be gone because of its age, so a person decides.
    if (result.status !== 'settled') return void this.#count(`not settled: ${result.status}`, async () => {});
    this.charged.set(input.callId, result.chargedMillicredits);
  }

  #makeEnding(held: number): CallEnding {
    const tokens = this.choices.chance(10) ? 0 : this.choices.below(this.choices.chance(20) ? held * 2 : held);
    const prompt = this.choices.below(tokens + 1);
    const ending = endingWith(prompt, tokens - prompt);
    const isTold = this.choices.chance(80);
    return {
      ...ending,
      ...(tokens === 0
        ? { outcome: 'failed', errorCode: 'upstream_error', usageSource: 'none' }
        : { outcome: this.choices.oneOf(['completed', 'completed', 'interrupted', 'abandoned']) }),
      provider: this.choices.oneOf(['demo', 'other']),
      tag: this.choices.oneOf([null, 'a', 'b', 'c']),
      endUser: this.choices.oneOf([null, 'u1', 'u2']),
      ...(isTold ? { cachedTokens: this.choices.below(prompt + 1), reasoningTokens: 0 } : {}),
    };
  }

  async #endAll(): Promise<void> {
    while (this.#running.length > 0) await this.#end();
  }

  async #endAgain(): Promise<void> {
    for (let times = 0; times < 3 && this.#ended.length > 0; times += 1) {
      await this.#settle(this.choices.oneOf(this.#ended), this.choices.oneOf(this.#processes).ledger);
    }
  }

  async #expireAny(): Promise<void> {
    const open = await this.#listOpen("state = 'open'");
    if (open.length > 0) await this.#expire(this.choices.oneOf(open));
  }

  #listOpen(where: string): Promise<{ id: string; wallet: string; instance: string }[]> {
    return this.fixture.source.query(`SELECT id, wallet, instance FROM ledger_hold WHERE ${where} ORDER BY id`);
  }

  async #expire({ id, wallet, instance }: { id: string; wallet: string; instance: string }): Promise<void> {
    const owner = this.#processes.find(({ name }) => name === instance);
    // A lease is ended only when its owner has not renewed it for longer than it lasts.
    if (owner) owner.pause.ms += leaseTimes.leaseMs;
    const { ledger } = this.choices.oneOf(this.#processes);
    const result = await ledger.expireHold({ callId: id, accountId: wallet, isOwnerGone: true });
    if (id.startsWith('call_') && result.status === 'settled') this.charged.set(id, result.chargedMillicredits);
  }

  async #returnLeases(): Promise<void> {
    for (const { ledger } of this.#processes) {
      for (const { accountId } of this.accounts) if (this.choices.chance(50)) ledger.leases?.drain(accountId);
      await ledger.renewLeases();
    }
  }

  #moveAny(): Promise<void> {
    const amount = 1 + this.choices.below(300_000);
    return this.#move(this.choices.oneOf(this.accounts), this.choices.chance(80) ? amount : -Math.ceil(amount / 20));
  }

  async #move({ accountId }: FundedAccount, amount: number): Promise<void> {
    const { ledger } = this.choices.oneOf(this.#processes);
    const move = { accountId, amountMillicredits: toMillicredits(Math.abs(amount)) };
    if (amount > 0) {
      await ledger.grantCredits({ ...move, transferId: `grant:${createId('call')}`, type: 'grant' });
    } else {
      // It waits until all leases of the wallet were looked at.
      const beating = { isOver: false };
      const booked = ledger
        .reverseGrant({ ...move, transferId: `refund:${createId('call')}`, type: 'refund' })
        .finally(() => {
          beating.isOver = true;
        });
      while (!beating.isOver) {
        await Promise.all(this.#processes.map((one) => one.ledger.renewLeases()));
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      await booked;
    }
    this.moves.push({ accountId, amount });
  }

  async #wait(): Promise<void> {
    const dice = this.choices.below(100);
    if (dice < 60) this.clock.advanceMs(this.choices.below(90 * minuteMs));
    else if (dice < 85) this.clock.advanceMs(this.choices.below(30 * hourMs));
    else this.clock.advanceMs(this.choices.below(25 * dayMs));
    if (this.choices.chance(50)) await this.#jobs.time.read();
  }

  async #setClock(): Promise<void> {
    const isSetRight = this.#aheadMs !== 0 && this.choices.chance(60);
    const span = this.choices.oneOf([10 * minuteMs, 3 * hourMs, 2 * dayMs, 40 * dayMs, 100 * dayMs]);
    const byMs = isSetRight ? -this.#aheadMs : this.choices.below(2 * span) - span;
    this.#aheadMs += byMs;
    this.clock.setWallMs(this.clock.nowMs() + byMs);
  }

  /** Of one process, with what it knows, or of all that sums. */
  async #restart(): Promise<void> {
    this.#jobs = this.openJobs();
    const index = this.choices.below(this.#processes.length);
    const [gone] = this.#processes.splice(index, 1, this.#openProcess());
    if (gone === undefined) return;
    this.#running = this.#running.filter(({ owner }) => owner !== gone);
    await gone.ledger.close();
    // A call that was under way is ended by others, or never heard of again.
    for (const hold of await this.#listOpen(`state = 'open' AND instance = '${gone.name}'`)) await this.#expire(hold);
  }

  /** Some of the jobs in any order, two of each kind at once now and then, and calls beside them. */
  async #runJobs(): Promise<void> {
    const works = [
      () => this.#jobs.sums.sumUp(),
      () => this.#jobs.totals.sumUp(),
      () => this.#jobs.journal.sumUp(),
      () => this.#jobs.retention.sealDue(),
      () => this.openJobs().sums.sumUp(),
      () => this.openJobs().totals.sumUp(),
      () => this.openJobs().journal.sumUp(),
    ].filter(() => this.choices.chance(60));
    if (this.choices.chance(60)) for (const work of works) await work();
    else await Promise.all([...works.map((work) => work()), this.#callOnAndOn()]);
  }
}
