import type { UnitOfWork } from '../../database/unit-of-work.js';
import type { Clock } from '../../kernel/clock.js';
import { type Millicredits, toMillicredits } from '../../kernel/millicredits.js';
import { divideBalance } from '../divide-balance.js';
import type { LeaseBook } from '../leases/lease-book.js';
import { invariants, liveInvariants } from './check-ledger.js';
import type { LedgerAudit } from './ledger-auditor.js';

/** What came into an account and what was taken back, by the lines of its journal. Each at least 0, but `corrections`. */
export interface ProvenCredits {
  readonly bought: Millicredits;
  readonly given: Millicredits;
  /** Given back after a refund failed, or a dispute was won. */
  readonly returned: Millicredits;
  /** What the operator put right, in sum; less than 0 when more was taken than given. */
  readonly corrections: Millicredits;
  /** By refunds and disputes. */
  readonly takenBack: Millicredits;
}

/**
 * Where all credits of an account are, at one moment. Its three parts are read from different tables: what came in from the journal,
 * what was used from the sums of the receipts, what is left from the wallet. So `differenceMillicredits` says something.
 */
export interface Proof {
  readonly atMs: number;
  readonly credits: ProvenCredits;
  /** All of `credits` together. */
  readonly inMillicredits: Millicredits;
  readonly usedMillicredits: Millicredits;
  /** How many calls used them, those that were free included. */
  readonly calls: number;
  /** By calls that are running. */
  readonly reservedMillicredits: Millicredits;
  /** What may be spent; less than 0 when a refund or a dispute took more than there was. */
  readonly leftMillicredits: Millicredits;
  /** In minus used, reserved and left: 0, unless the books are wrong. */
  readonly differenceMillicredits: Millicredits;
  readonly audit: LedgerAudit & {
    /** What is verified, a sentence each. */
    readonly checks: readonly string[];
  };
}

type Row = Readonly<Record<'part' | 'name' | 'one' | 'two' | 'three', string | number | null>>;

export interface ProofParts {
  readonly unitOfWork: UnitOfWork;
  /** This process's, which knows what its calls have reserved at this moment. */
  readonly ledger: { readonly leases: Pick<LeaseBook, 'findReserved'> | null };
  readonly auditor: { readonly audit: LedgerAudit };
  readonly clock: Clock;
}

/** Adds up the books of one account for whoever owns it. */
export class ProofReader {
  constructor(private readonly parts: ProofParts) {}

  /** Costs the same however many calls there were, but for an hour's sum each. An account without a wallet has nothing. */
  async prove(accountId: string): Promise<Proof> {
    const { unitOfWork, auditor, clock } = this.parts;
    const isMysql = unitOfWork.reader.connection.options.type === 'mysql';
    // One statement sees one moment on every database, whatever is booked meanwhile.
    const values = [accountId, accountId, accountId, accountId];
    const rows: readonly Row[] = await unitOfWork.reader.query(toStatement(isMysql), values);
    const credits = sumCredits(rows.filter(({ part }) => part === 'line'));
    const hours = rows.find(({ part }) => part === 'hours');
    const { left, reserved } = this.#divideWallet(accountId, rows);
    const { bought, given, returned, corrections, takenBack } = credits;
    const inMillicredits = toMillicredits(bought + given + returned + corrections - takenBack);
    const used = Number(hours?.one ?? 0);
    return {
      atMs: clock.nowMs(),
      credits,
      inMillicredits,
      usedMillicredits: toMillicredits(used),
      calls: Number(hours?.two ?? 0),
      reservedMillicredits: reserved,
      leftMillicredits: left,
      differenceMillicredits: toMillicredits(inMillicredits - used - reserved - left),
      audit: { ...auditor.audit, checks },
    };
  }

  // Of a lease that is open, the journal does not know yet what was used.
  #divideWallet(accountId: string, rows: readonly Row[]) {
    const wallet = rows.find(({ part }) => part === 'wallet');
    const leases = rows.filter(({ part }) => part === 'lease');
    const leased = leases.reduce((sum, { one }) => sum + Number(one), 0);
    const spent = leases.reduce((sum, { two }) => sum + Number(two), 0);
    const inLeases = leases.reduce((sum, { name, three }) => {
      return sum + (this.parts.ledger.leases?.findReserved(accountId, String(name)) ?? Number(three));
    }, 0);
    const reserved = Number(wallet?.two ?? 0) - leased + inLeases;
    const { availableMillicredits, heldMillicredits } = divideBalance(Number(wallet?.one ?? 0) - spent, reserved);
    return { reserved: heldMillicredits, left: availableMillicredits };
  }
}

const checks = [...Object.keys(invariants), ...Object.keys(liveInvariants)];

// Lines without a hold are those of credits in and taken back: few, however many calls there were. MySQL would read them all.
function toStatement(isMysql: boolean): string {
  const byHold = isMysql ? 'FORCE INDEX (ix_ledger_transfer_hold)' : '';
  return `
    SELECT 'line' AS part, CASE WHEN id LIKE 'refund:%' AND type = 'adjustment' THEN 'refund_returned' ELSE type END AS name,
      SUM(CASE WHEN credit_account = wallet THEN amount ELSE 0 END) AS one,
      SUM(CASE WHEN credit_account = wallet THEN 0 ELSE amount END) AS two, COUNT(*) AS three
    FROM ledger_transfer ${byHold} WHERE hold_id IS NULL AND wallet = ?
    GROUP BY CASE WHEN id LIKE 'refund:%' AND type = 'adjustment' THEN 'refund_returned' ELSE type END
    UNION ALL
    SELECT 'hours', '', COALESCE(SUM(charged_millicredits), 0), COALESCE(SUM(calls), 0), 0
    FROM usage_hour WHERE account_id = ?
    UNION ALL
    SELECT 'wallet', '', credits_posted - debits_posted, debits_pending, 0
    FROM ledger_account WHERE id = ? AND kind = 'wallet'
    UNION ALL
    SELECT 'lease', id, amount, spent, reserved
    FROM wallet_lease WHERE wallet = ? AND state IN ('open', 'recalled', 'draining')`;
}

function sumCredits(lines: readonly Row[]): ProvenCredits {
  const sum = (names: readonly string[]) => {
    const named = lines.filter(({ name }) => names.includes(String(name)));
    return named.reduce((total, { one, two }) => total + Number(one) - Number(two), 0);
  };
  return {
    bought: toMillicredits(sum(['purchase'])),
    given: toMillicredits(sum(['grant'])),
    returned: toMillicredits(sum(['refund_returned', 'dispute_reversal'])),
    corrections: toMillicredits(sum(['adjustment'])),
    takenBack: toMillicredits(-sum(['refund', 'dispute'])),
  };
}
