import { setTimeout as sleep } from 'node:timers/promises';
import { createId } from '../kernel/ids.js';
import { toMillicredits } from '../kernel/millicredits.js';
import type { Ledger } from '../ledger/ledger.js';
import type { SettleInput } from '../ledger/ledger-types.js';
import { begin, type FundedAccount, multiplierOf, openInstance, tokensFor } from './lease-calls.js';
import { LeaseModel } from './lease-model.js';
import { endlessDoubt, type Instance, type RunningCall, toWaived, type UsedKey } from './lease-run-parts.js';
import { endingWith, type LedgerFixture } from './ledger-fixture.js';
import type { SeededChoices } from './seeded-choices.js';

/** Time goes by with what happens, so that a slow machine sees no other run. */
const msPerStep = 20;

const dayMs = 86_400_000;
/** So many steps make a day, and some calls come a day late. */
const stepsPerDay = 400;

/** Asks several instances on one database at random, and the model what it thinks of each answer. */
export class LeaseRun {
  readonly faults: string[] = [];
  readonly counts: Record<string, number> = {};
  readonly #model = new LeaseModel();
  readonly #accounts: FundedAccount[] = [];
  readonly #keys: UsedKey[] = [];
  readonly #instances: Instance[] = [];
  readonly #killed: Instance[] = [];
  readonly #frozen = new Set<string>();
  #ended: { input: SettleInput; owner: Instance; cost: number }[] = [];
  #running: RunningCall[] = [];
  #steps = 0;

  constructor(
    private readonly fixture: LedgerFixture,
    private readonly choices: SeededChoices,
  ) {}

  async open(accounts: number, instances: number): Promise<void> {
    for (let n = 0; n < accounts; n += 1) {
      // Rich ones, which are leased at once, and poor ones.
      const balance = n % 2 === 0 ? 500_000 : 0;
      const account = await this.fixture.createFundedAccount(balance);
      this.#model.openWallet(account.accountId);
      this.#note(this.#model.move(`start:${account.accountId}`, account.accountId, balance, false));
      this.#accounts.push(account);
      this.#keys.push({ ...account, asRead: {} });
      const limited = { accountId: account.accountId, keyId: await this.fixture.createKey(account.accountId) };
      this.#keys.push({ ...limited, asRead: {} });
      await this.#limit(limited.keyId, 60_000);
    }
    for (let n = 0; n < instances; n += 1) await this.#start();
  }

  /** One thing that happens. @returns how many operations it was. */
  async step(): Promise<number> {
    this.#steps += 1;
    const account = this.choices.oneOf(this.#accounts);
    const key = this.choices.oneOf(this.#keys);
    const instance = this.choices.oneOf(this.#instances);
    const dice = this.choices.below(1_000);
    if (dice < 300) return this.#count('begin', [this.#begin(instance, key)]);
    if (dice < 360) {
      const calls = Array.from({ length: 12 }, () => this.#begin(this.choices.oneOf(this.#instances), key));
      return this.#count('crowd', calls);
    }
    if (dice < 720) return this.#count('end', [this.#end()]);
    if (dice < 745) return this.#count('duplicate', [this.#endAgain()]);
    if (dice < 760) return this.#count('waive', [this.#waive(instance)]);
    if (dice < 840) return this.#count('promote', [this.#promote()]);
    if (dice < 880) return this.#count('expire', [this.#expireAny()]);
    if (dice < 920) return this.#count('beat', [instance.ledger.renewLeases()]);
    if (dice < 945) return this.#count('return', [this.#giveBack(instance, account)]);
    if (dice < 975) return this.#count('grant', [this.#move(instance, account, 'grant')]);
    if (dice < 981) return this.#count('refund', [this.#move(instance, account, 'refund')]);
    if (dice < 987) return this.#count('limit', [this.#changeLimit()]);
    if (dice < 994) return this.#count('freeze', [this.#freeze(instance, account)]);
    return this.#count('kill', [this.#kill(instance)]);
  }

  /** Compares every balance, to the millicredit. */
  async compare(): Promise<void> {
    for (const { accountId } of this.#accounts) {
      const [row] = await this.fixture.source.query(
        `SELECT credits_posted - debits_posted - COALESCE((SELECT SUM(spent) FROM wallet_lease
           WHERE wallet = '${accountId}' AND state <> 'ended'), 0) AS posted
         FROM ledger_account WHERE id = '${accountId}'`,
      );
      const expected = this.#model.posted(accountId);
      if (Number(row.posted) !== expected) this.faults.push(`${accountId} has ${row.posted} instead of ${expected}`);
    }
  }

  /** Ends an account, then every call and every instance. */
  async close(): Promise<void> {
    const [leaving] = this.#accounts as [FundedAccount];
    await this.#leave(leaving);
    while (this.#running.length > 0) await this.#end();
    await this.compare();
    for (const { ledger } of [...this.#instances, ...this.#killed]) await ledger.close();
    await this.#expireAll("state = 'open'");
    await this.compare();
    const closed = `id = '${leaving.accountId}' AND state = 'closed' AND debits_pending = 0`;
    if ((await this.fixture.countRows('ledger_account', closed)) !== 1) this.faults.push('a wallet stayed open');
  }

  async #count(name: string, operations: readonly Promise<unknown>[]): Promise<number> {
    await Promise.all(operations);
    this.counts[name] = (this.counts[name] ?? 0) + operations.length;
    return operations.length;
  }

  #note(fault: string | null): void {
    if (fault !== null) this.faults.push(fault);
  }

  async #start(): Promise<void> {
    const name = createId('instance');
    const pause = { ms: 0 };
    const readMs = () => this.#steps * msPerStep + pause.ms;
    const ledger = await openInstance(this.fixture, name, { times: endlessDoubt, readMs, isStarted: false });
    this.#instances.push({ name, ledger, pause });
  }

  async #begin(owner: Instance, key: UsedKey): Promise<void> {
    const { accountId: walletId, keyId, asRead } = key;
    const amount = 1 + this.choices.below(this.choices.chance(asRead.isKeyLimited ? 1 : 5) ? 20_000 : 400);
    const today = Math.floor(this.#steps / stepsPerDay);
    const day = Math.max(0, this.choices.chance(2) ? today - 1 : today);
    const priced = { ...asRead, startedAtMs: day * dayMs, priceMultiplier: multiplierOf(amount) };
    const result = await begin(owner.ledger, key, amount, priced);
    const asked = { walletId, keyId, day, amount };
    if (result.status === 'refused') return this.#note(this.#model.refused(asked, result.reason));
    const { callId, heldMillicredits: held } = result;
    this.#note(this.#model.begun(callId, asked, held));
    this.#running.push({ callId, account: key, held, owner });
  }

  async #changeLimit(): Promise<void> {
    const { keyId } = this.choices.oneOf(this.#keys.filter(({ asRead }) => asRead.keyRevision !== undefined));
    const most = this.choices.chance(40) ? 2_000 : 80_000;
    await this.#limit(keyId, this.choices.chance(20) ? null : 1 + this.choices.below(most));
  }

  /** When it is answered, every instance knows. */
  async #limit(keyId: string, millicredits: number | null): Promise<void> {
    const index = this.#keys.findIndex((key) => key.keyId === keyId);
    const { accountId } = this.#keys[index] as UsedKey;
    const limit = millicredits === null ? null : { millicredits, period: 'day' as const };
    await this.fixture.limitKey({ accountId, keyId }, limit);
    this.#model.setLimit(keyId, millicredits);
    const [row] = await this.fixture.source.query(`SELECT revision FROM api_key WHERE id = '${keyId}'`);
    const asRead = { keyRevision: Number(row.revision), isKeyLimited: limit !== null };
    this.#keys[index] = { accountId, keyId, asRead };
  }

  async #end(): Promise<void> {
    const call = this.#take();
    if (!call) return;
    const { callId, account, held, owner } = call;
    const most = this.choices.chance(4) ? held * 3 : held;
    const cost = this.choices.chance(10) ? 0 : this.choices.below(most + 1);
    const input = { callId, accountId: account.accountId, ending: endingWith(tokensFor(cost, held), 0) };
    const covered = owner.ledger.leases?.cover(input) ?? input;
    this.#settled(callId, cost, await owner.ledger.bookAgain(covered));
    this.#ended.push({ input: covered, owner, cost });
    if (this.#ended.length > 200) this.#ended.shift();
  }

  async #endAgain(): Promise<void> {
    if (this.#ended.length === 0) return;
    const { input, cost } = this.choices.oneOf(this.#ended);
    this.#settled(input.callId, cost, await this.choices.oneOf(this.#instances).ledger.bookAgain(input));
  }

  #settled(callId: string, cost: number, result: Awaited<ReturnType<Ledger['bookAgain']>>): void {
    if (result.status !== 'settled') {
      this.#note(`${callId} was answered ${result.status}`);
      return;
    }
    const { chargedMillicredits: charged, absorbedMillicredits: absorbed, isReplay } = result;
    this.#note(this.#model.ended(callId, cost, { charged, absorbed, isReplay }));
  }

  /** Somebody is about to make a call again of whose process nothing is heard: from then on it costs nothing, whatever that process says. */
  async #waive({ ledger }: Instance): Promise<void> {
    const calls = [...this.#running, ...this.#ended.slice(-5).map(({ input }) => input)];
    if (calls.length === 0) return;
    const { callId, accountId } = toWaived(this.choices.oneOf(calls));
    this.#note(this.#model.waived(callId, (await ledger.waiveCall({ callId, accountId })).status));
  }

  async #promote(): Promise<void> {
    const call = this.#take();
    if (!call) return;
    const { callId, account, held, owner } = call;
    const progress = this.choices.below(held + 1);
    const progressTokens = { promptTokens: tokensFor(progress, held), completionTokens: 0 };
    await owner.ledger.renewHold({ callId, accountId: account.accountId, ...progressTokens });
    const isOpen = (await this.fixture.countRows('ledger_hold', `id = '${callId}' AND state = 'open'`)) > 0;
    if (isOpen) this.#model.noted(callId, progress);
    this.#running.push(call);
  }

  async #expireAny(): Promise<void> {
    const open = await this.#listOpen("state = 'open'");
    if (open.length > 0) await this.#expire(this.choices.oneOf(open));
  }

  async #expireAll(where: string): Promise<void> {
    for (const hold of await this.#listOpen(where)) await this.#expire(hold);
  }

  async #listOpen(where: string): Promise<{ id: string; wallet: string }[]> {
    return this.fixture.source.query(`SELECT id, wallet FROM ledger_hold WHERE ${where} ORDER BY id`);
  }

  async #expire({ id, wallet }: { id: string; wallet: string }): Promise<void> {
    // Whoever was let in against it is no longer covered.
    for (const { callId, owner, account } of this.#running) {
      const settlement = { callId, accountId: account.accountId, ending: endingWith(0, 0) };
      if (owner.ledger.leases?.cover(settlement).lease?.leaseId === id) this.#model.orphaned(callId);
    }
    const [lease] = await this.fixture.source.query(`SELECT instance FROM wallet_lease WHERE id = '${id}'`);
    const owner = this.#instances.find(({ name }) => name === lease?.instance);
    // A lease is ended only when its owner has not renewed it for longer than it lasts.
    if (owner) owner.pause.ms += endlessDoubt.leaseMs;
    const result = await this.choices.oneOf(this.#instances).ledger.expireHold({ callId: id, accountId: wallet });
    if (result.status !== 'settled') return this.#note(`${id} could not be ended`);
    if (id.startsWith('call_')) this.#note(this.#model.expired(id, result.chargedMillicredits));
  }

  async #giveBack({ ledger }: Instance, { accountId }: FundedAccount): Promise<void> {
    ledger.leases?.drain(accountId);
    await ledger.renewLeases();
  }

  async #move({ ledger }: Instance, { accountId }: FundedAccount, type: 'grant' | 'refund'): Promise<void> {
    const isGrant = type === 'grant';
    const amount = 1 + this.choices.below(isGrant ? 60_000 : 30_000);
    // Some are asked for twice.
    const transferId = `${type}:${createId('purchase')}`;
    for (let times = this.choices.chance(20) ? 2 : 1; times > 0; times -= 1) {
      const input = { transferId, accountId, amountMillicredits: toMillicredits(amount) };
      const result = isGrant
        ? await ledger.grantCredits({ ...input, type: 'grant' })
        : await this.#whileAllBeat(ledger.reverseGrant({ ...input, type: 'refund' }));
      const isReplay = result.status === 'granted' && result.isReplay;
      this.#note(this.#model.move(transferId, accountId, isGrant ? amount : -amount, isReplay));
    }
  }

  async #freeze({ ledger }: Instance, { accountId }: FundedAccount): Promise<void> {
    const isFrozen = !this.#frozen.has(accountId);
    const change = ledger.setWalletState({ accountId, state: isFrozen ? 'frozen' : 'open', reason: 'operator' });
    await this.#whileAllBeat(change);
    if (isFrozen) this.#frozen.add(accountId);
    else this.#frozen.delete(accountId);
    this.#model.setFrozen(accountId, isFrozen);
  }

  /** An account is deleted while its calls run by leases of several instances. */
  async #leave({ accountId }: FundedAccount, { ledger } = this.choices.oneOf(this.#instances)): Promise<void> {
    await this.#whileAllBeat(ledger.setWalletState({ accountId, state: 'closing' }));
    this.#model.setFrozen(accountId, true);
    const keys = this.#keys.filter((key) => key.accountId === accountId);
    for (const instance of this.#instances) for (const key of keys) await this.#begin(instance, key);
  }

  // What has to be heard by all is answered sooner.
  async #whileAllBeat<Answer>(change: Promise<Answer>): Promise<Answer> {
    let isAnswered = false;
    void change.finally(() => {
      isAnswered = true;
    });
    while (!isAnswered) {
      await Promise.all(this.#instances.map((instance) => instance.ledger.renewLeases()));
      await sleep(5);
    }
    return change;
  }

  async #kill(instance: Instance): Promise<void> {
    const index = this.#instances.indexOf(instance);
    if (index === -1) return;
    this.#killed.push(...this.#instances.splice(index, 1));
    await this.#start();
    await this.#expireAll(`state = 'open' AND instance = '${instance.name}'`);
    for (const { callId } of this.#running.filter(({ owner }) => owner === instance)) this.#model.lost(callId);
    this.#running = this.#running.filter(({ owner }) => owner !== instance);
    // A dead process keeps no connection; what it says late comes soon or never.
    const buried = this.#killed.length > 20 ? this.#killed.shift() : undefined;
    this.#ended = this.#ended.filter(({ owner }) => owner !== buried);
    await buried?.ledger.close();
  }

  #take(): RunningCall | undefined {
    const index = this.choices.below(Math.max(1, this.#running.length));
    return this.#running.splice(index, 1)[0];
  }
}
