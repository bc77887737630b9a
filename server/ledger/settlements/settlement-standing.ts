import type { SettlementTally } from './settlement-tally.js';
import type { RoomState } from './spool-room.js';

/** What became of this process's settlements, and what waits on this machine's disk. */
export interface SettlementStanding {
  /** Taken over by this process or its own, and not booked yet. */
  readonly keptCount: number;
  readonly oldestKeptAtMs: number | null;
  /** Refused by the ledger and not decided about, of all processes that share the folder. */
  readonly quarantinedCount: number;
  readonly damagedFileCount: number;
  /** How often files of settlements were moved or removed beneath this process. */
  readonly movedFileCount: number;
  /** Answers that are neither booked nor kept nor refused: 0, or the ledger has lost them. */
  readonly missingCount: number;
  /** Wallets that are served apart because something of theirs keeps failing. */
  readonly asideWalletCount: number;
  /** How long the database has taken nothing of this process, in milliseconds; see `CommitStanding`. */
  readonly commitsFailingMs: number | null;
  readonly room: RoomState;
  readonly tally: Omit<SettlementTally, 'countMissing'>;
}
