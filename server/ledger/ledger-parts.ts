import type { Logger } from '../kernel/logger.js';
import type { LedgerStore } from './commits/ledger-store.js';
import type { LeaseOptions } from './leases/ledger-leases.js';
import type { SettlementSpool } from './settlements/settlement-spool.js';

/** What a ledger is made of. */
export interface LedgerParts {
  /** At least one. Accounts are divided among them, so that they commit side by side and never wait for each other's wallets. */
  readonly stores: readonly LedgerStore[];
  /** For what these cannot commit together. It may be one of them if it can be asked by two at once. */
  readonly asideStore: LedgerStore;
  readonly spool: SettlementSpool;
  readonly logger: Logger;
  /** The id of this server process; it stands on the holds that it places. */
  readonly instance: string;
  /** Left out: each call takes a hold. A lease outlives the last sign of life by `leaseMs`. */
  readonly leases?: (LeaseOptions & { readonly leaseMs: number }) | undefined;
}
