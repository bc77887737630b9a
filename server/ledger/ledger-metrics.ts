import { setTimeout as sleep } from 'node:timers/promises';
import type { UnitOfWork } from '../database/unit-of-work.js';
import type { Ledger } from './ledger.js';
import type { LedgerAuditor } from './ledger-auditor.js';
import { LedgerHoldEntity } from './ledger-hold.entity.js';

/** One figure for an operator's monitoring. */
export interface Metric {
  /** Ends in its unit, and in `_total` when it only grows. */
  readonly name: string;
  readonly help: string;
  readonly kind: 'gauge' | 'counter';
  readonly value: number;
}

const databasePatienceMs = 2_000;

/** What the ledger tells its operator. What is not known right now, such as the open holds of a database that is away, is left out. */
export async function listLedgerMetrics(
  ledger: Pick<Ledger, 'activity' | 'keptSettlementCount'>,
  auditor: Pick<LedgerAuditor, 'audit'>,
  unitOfWork: UnitOfWork,
): Promise<Metric[]> {
  const { violations, verifiedAtMs, allVerifiedAtMs } = auditor.audit;
  const { absorbedMillicredits, doubleResolutionCount } = ledger.activity;
  const openHoldCount = await Promise.race([
    unitOfWork.reader.countBy(LedgerHoldEntity, { state: 'open' }).catch(() => null),
    sleep(databasePatienceMs, null, { ref: false }),
  ]);
  return [
    ...gauge('tollgate_ledger_violations', 'Broken invariants; anything above 0 needs a person.', violations),
    ...gauge(
      'tollgate_ledger_last_verified_timestamp_seconds',
      'When this process last verified the wallets it had touched, or everything.',
      toSeconds(verifiedAtMs),
    ),
    ...gauge(
      'tollgate_ledger_all_verified_timestamp_seconds',
      'When this process last verified everything.',
      toSeconds(allVerifiedAtMs),
    ),
    ...gauge(
      'tollgate_ledger_kept_settlements',
      'Settlements on the disk of this machine that wait for the database.',
      ledger.keptSettlementCount,
    ),
    ...gauge('tollgate_ledger_open_holds', 'Calls of all instances that hold credits now.', openHoldCount),
    counter(
      'tollgate_ledger_absorbed_millicredits_total',
      'Cost beyond hold and balance that the house paid, settled by this process since its start.',
      absorbedMillicredits,
    ),
    counter(
      'tollgate_ledger_double_resolutions_total',
      'Ends of calls of this process that had ended before: 0, but for settlements repeated after an outage.',
      doubleResolutionCount,
    ),
  ];
}

function gauge(name: string, help: string, value: number | null): Metric[] {
  return value === null ? [] : [{ name, help, kind: 'gauge', value }];
}

function counter(name: string, help: string, value: number): Metric {
  return { name, help, kind: 'counter', value };
}

function toSeconds(instantMs: number | null): number | null {
  return instantMs === null ? null : instantMs / 1_000;
}
