import { UnitOfWork } from '../database/unit-of-work.js';
import { createId } from '../kernel/ids.js';
import { silentLogger } from '../kernel/logger.js';
import { toMillicredits } from '../kernel/millicredits.js';
import type { LeaseTimes } from '../ledger/commits/decide-batch.js';
import type { KeyWatch } from '../ledger/key-spend/key-watch.js';
import { createRecallReader } from '../ledger/leases/lease-renewer.js';
import type { Ledger } from '../ledger/ledger.js';
import type { HoldResult, SettleResult } from '../ledger/ledger-types.js';
import { openLedger } from '../ledger/open-ledger.js';
import { eventually } from './eventually.js';
import { endingWith, factsAt, type LedgerFixture } from './ledger-fixture.js';
import { makeTestFolder } from './test-folder.js';

export type FundedAccount = Awaited<ReturnType<LedgerFixture['createFundedAccount']>>;

/** Everything is current: what a watch has to say is not what these tests are about. */
export const trustingKeyWatch: KeyWatch = { isCurrent: () => true };

interface InstanceOptions {
  readonly times?: LeaseTimes;
  readonly readMs?: () => number;
  readonly keyWatch?: KeyWatch;
  /** Without it nothing happens by itself, such as the renewal of leases. */
  readonly isStarted?: boolean;
}

/** Another server process, as far as the ledger goes, on the database of a fixture. Whoever opens it closes it. */
export async function openInstance(
  fixture: LedgerFixture,
  instance: string,
  { times, readMs, keyWatch = trustingKeyWatch, isStarted = true }: InstanceOptions = {},
): Promise<Ledger> {
  const recalls = createRecallReader(new UnitOfWork(fixture.source));
  const ledger = openLedger({
    address: fixture.database.address,
    spoolFolder: makeTestFolder('spool'),
    logger: silentLogger,
    instance,
    ...(times && { times }),
    leases: { keyWatch, recalls, ...(readMs && { readMs }) },
  });
  if (isStarted) await ledger.start();
  return ledger;
}

/** How the key of a call was read, when the call began, and its id where that matters. */
export interface KeyAsRead {
  readonly keyRevision?: number;
  readonly isKeyLimited?: boolean;
  readonly startedAtMs?: number;
  readonly callId?: string;
  readonly priceMultiplier?: number;
}

/** What is paid for a call of this worst case: half of the list price, or all of it. */
export function multiplierOf(amount: number): number {
  return amount % 2 === 0 ? 500 : 1_000;
}

/** Tokens that cost so many millicredits in a call of this worst case; at half the price an odd number, which is rounded up. */
export function tokensFor(cost: number, amount: number): number {
  return multiplierOf(amount) === 500 ? Math.max(0, cost * 2 - 1) : cost;
}

/** Asks for a call of this worst case, at one millicredit a token. */
export async function begin(
  ledger: Ledger,
  { accountId, keyId }: FundedAccount,
  amount: number,
  {
    keyRevision = 0,
    isKeyLimited = false,
    startedAtMs = 1,
    callId = createId('call'),
    priceMultiplier = 1_000,
  }: KeyAsRead = {},
): Promise<HoldResult & { callId: string }> {
  const amounts = { amountMillicredits: toMillicredits(amount), acceptFromMillicredits: toMillicredits(amount) };
  const facts = { ...factsAt(1), startedAtMs, priceMultiplier };
  const input = { callId, accountId, keyId, keyRevision, isKeyLimited, facts, ...amounts };
  return { ...(await ledger.placeHold(input)), callId };
}

export function end(ledger: Ledger, { accountId }: FundedAccount, callId: string, cost: number): Promise<SettleResult> {
  return ledger.settleHold({ callId, accountId, ending: endingWith(cost, 0) });
}

/** Waits until these processes have given back what they had leased of a wallet. */
export async function untilReturned(
  fixture: LedgerFixture,
  { accountId }: FundedAccount,
  instances: readonly Ledger[] = [fixture.ledger],
): Promise<void> {
  await eventually(async () => {
    await Promise.all(instances.map((ledger) => ledger.renewLeases()));
    return (await fixture.countRows('wallet_lease', `wallet = '${accountId}' AND state <> 'ended'`)) === 0;
  });
}

/** Calls until a lease lets calls of this worst case in. */
export async function warmUp(ledger: Ledger, account: FundedAccount, amount: number, key?: KeyAsRead): Promise<void> {
  const before = ledger.leases?.standing.callCount ?? 0;
  while ((ledger.leases?.standing.callCount ?? 0) === before) {
    const { callId } = await begin(ledger, account, amount, key);
    await end(ledger, account, callId, 0);
  }
}
