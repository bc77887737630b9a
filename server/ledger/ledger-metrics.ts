import { setTimeout as sleep } from 'node:timers/promises';
import { Not } from 'typeorm';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { systemClock } from '../kernel/clock.js';
import type { Metric } from '../kernel/metrics/metric.js';
import type { LedgerAuditor } from './checks/ledger-auditor.js';
import type { LeaseBook } from './leases/lease-book.js';
import { leaseKeyId } from './leases/lease-types.js';
import type { Ledger } from './ledger.js';
import type { SettlementStanding } from './settlements/settlement-standing.js';
import { LedgerHoldEntity } from './tables/ledger-hold.entity.js';

const databaseTimeoutMs = 2_000;

/** What the ledger tells its operator. What is not known right now, such as the open holds of a database that is away or what waits on a disk that fails, is left out. */
export async function listLedgerMetrics(
  ledger: Pick<Ledger, 'activity' | 'findSettlementStanding' | 'leases' | 'queuedCount'>,
  auditor: Pick<LedgerAuditor, 'audit'>,
  unitOfWork: UnitOfWork,
): Promise<Metric[]> {
  const { violations, verifiedAtMs, allVerifiedAtMs } = auditor.audit;
  const { absorbedMillicredits, doubleResolutionCount } = ledger.activity;
  const open = await Promise.race([
    findOpenHolds(unitOfWork).catch(() => null),
    sleep(databaseTimeoutMs, null, { ref: false }),
  ]);
  const standing = await ledger.findSettlementStanding().catch(() => null);
  return [
    ...gauge('tollgate_ledger_violations', 'Broken invariants; anything above 0 needs a person.', violations, 'max'),
    ...gauge(
      'tollgate_ledger_last_verified_timestamp_seconds',
      'When this process last verified the wallets it had touched, or everything.',
      toSeconds(verifiedAtMs),
      'min',
    ),
    ...gauge(
      'tollgate_ledger_all_verified_timestamp_seconds',
      'When this process last verified everything.',
      toSeconds(allVerifiedAtMs),
      'min',
    ),
    ...(standing === null ? [] : listSettlementMetrics(standing)),
    ...gauge(
      'tollgate_ledger_open_holds',
      'Calls of all instances that hold credits now, those without a lease.',
      open?.count ?? null,
      'max',
    ),
    ...gauge(
      'tollgate_ledger_held_millicredits',
      'What the holds of all instances reserve now, leases among them.',
      open?.millicredits ?? null,
      'max',
    ),
    ...ledger.activity.commits.list(ledger.queuedCount),
    ...(ledger.leases ? listLeaseMetrics(ledger.leases.standing) : []),
    counter(
      'tollgate_ledger_absorbed_millicredits_total',
      'Cost beyond hold and balance that the operator paid, settled by this process since its start.',
      absorbedMillicredits,
    ),
    counter(
      'tollgate_ledger_double_resolutions_total',
      'Ends of calls of this process that had ended before: 0, but for settlements repeated after an outage.',
      doubleResolutionCount,
    ),
  ];
}

async function findOpenHolds({ reader }: UnitOfWork) {
  const [count, millicredits] = await Promise.all([
    reader.countBy(LedgerHoldEntity, { state: 'open', keyId: Not(leaseKeyId) }),
    reader.sum(LedgerHoldEntity, 'amount', { state: 'open' }),
  ]);
  return { count, millicredits: Number(millicredits ?? 0) };
}

function listLeaseMetrics(standing: LeaseBook['standing']): Metric[] {
  const { leaseCount, leasedMillicredits, reservedMillicredits, callCount } = standing;
  return [
    ...gauge('tollgate_ledger_leases', 'Wallets’ credits that this process has set aside for many calls.', leaseCount),
    ...gauge('tollgate_ledger_leased_millicredits', 'What is left of them.', leasedMillicredits),
    ...gauge(
      'tollgate_ledger_reserved_millicredits',
      'What running calls have reserved of that.',
      reservedMillicredits,
    ),
    counter('tollgate_ledger_leased_calls_total', 'Calls of this process that a lease has let in.', callCount),
  ];
}

function listSettlementMetrics(standing: SettlementStanding): Metric[] {
  const { tally, oldestKeptAtMs, room } = standing;
  const ageSeconds = oldestKeptAtMs === null ? 0 : Math.max(0, (systemClock.nowMs() - oldestKeptAtMs) / 1_000);
  return [
    ...gauge(
      'tollgate_ledger_kept_settlements',
      'Settlements on the disk of this machine that wait to be booked.',
      standing.keptCount,
    ),
    ...gauge(
      'tollgate_ledger_kept_settlements_oldest_seconds',
      'How long the oldest of them has waited.',
      ageSeconds,
      'max',
    ),
    ...gauge(
      'tollgate_ledger_quarantined_settlements',
      'Settlements that the ledger refused; each needs a person.',
      standing.quarantinedCount,
      'max',
    ),
    ...gauge(
      'tollgate_ledger_damaged_spool_files',
      'Files with settlements that could not be read; each needs a person.',
      standing.damagedFileCount,
      'max',
    ),
    ...gauge(
      'tollgate_ledger_missing_settlements',
      'Answers of this process that are neither booked nor kept nor refused; anything above 0 is lost money.',
      standing.missingCount,
    ),
    ...gauge(
      'tollgate_ledger_wallets_aside',
      'Wallets served apart because something of theirs keeps failing.',
      standing.asideWalletCount,
    ),
    ...gauge(
      'tollgate_ledger_settlement_room_ready',
      'Whether the disk has room for the settlement of another call; at 0 no call is taken.',
      room.isReady ? 1 : 0,
      'min',
    ),
    counter('tollgate_ledger_settlements_total', 'Calls of this process that came to be settled.', tally.answered),
    counter(
      'tollgate_ledger_unwritten_settlements_total',
      'Calls that ended with an error because neither database nor disk took their settlement; they are free.',
      tally.unwritten,
    ),
    counter(
      'tollgate_ledger_spool_files_moved_total',
      'How often files of settlements were moved or removed while this process ran; it wrote them again.',
      standing.movedFileCount,
    ),
  ];
}

function gauge(name: string, help: string, value: number | null, ofSeveral?: Metric['ofSeveral']): Metric[] {
  return value === null ? [] : [{ name, help, kind: 'gauge', value, ...(ofSeveral && { ofSeveral }) }];
}

function counter(name: string, help: string, value: number): Metric {
  return { name, help, kind: 'counter', value };
}

function toSeconds(instantMs: number | null): number | null {
  return instantMs === null ? null : instantMs / 1_000;
}
