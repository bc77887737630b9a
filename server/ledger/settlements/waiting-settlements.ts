import { isOfAnother, listDamagedFiles, listSpoolFiles, readSpool } from './read-spools.js';
import { SettlementQuarantine } from './settlement-quarantine.js';
import { tokensOf } from './spool-records.js';

export interface WaitingSum {
  readonly settlements: number;
  /** Of prompts and answers. */
  readonly tokens: number;
}

/** What to do about settlements of another database. */
export const remedyForOthers =
  'start a server on that one with this SPOOL_DIR, and give each database a SPOOL_DIR of its own (docs/operations/settlements.md)';

/** What stands on this machine's disk and in no book. */
export interface WaitingSettlements {
  readonly kept: WaitingSum;
  readonly quarantined: WaitingSum;
  /** In files of another database, whose servers share this folder or once did. */
  readonly ofOthers: WaitingSum;
  /** Files of which nobody can tell what stood in them. */
  readonly damagedFiles: readonly string[];
}

/**
 * Reads the spools of all processes of this machine, living and dead, and the quarantine beside them, and changes nothing. What a
 * server is booking at this moment may be counted as waiting.
 * @param spoolFolder Where there is none, nothing waits.
 * @param databaseId Whose settlements are looked for; null: it has no id, so that files with one are another's; left out: it could not be
 *   asked, and all are taken for its own.
 */
export async function readWaitingSettlements(
  spoolFolder: string,
  databaseId?: string | null,
): Promise<WaitingSettlements> {
  const own = new Map<string, number>();
  const ofOthers = new Map<string, number>();
  for (const file of await listSpoolFiles(spoolFolder)) {
    const tokensByCall = databaseId !== undefined && isOfAnother(file, databaseId) ? ofOthers : own;
    for (const { input } of (await readSpool(file)).records) tokensByCall.set(input.callId, tokensOf(input));
  }
  const quarantined = await new SettlementQuarantine(spoolFolder).list();
  return {
    kept: sum([...own.values()]),
    ofOthers: sum([...ofOthers.values()]),
    quarantined: sum(quarantined.map(({ input }) => tokensOf(input))),
    damagedFiles: await listDamagedFiles(spoolFolder),
  };
}

/** Whether the books are all there is. */
export function isNothingWaiting({ kept, quarantined, ofOthers, damagedFiles }: WaitingSettlements): boolean {
  return kept.settlements + quarantined.settlements + ofOthers.settlements + damagedFiles.length === 0;
}

/** One line for each kind that waits, for a person at a terminal. */
export function printWaitingSettlements({ kept, quarantined, ofOthers, damagedFiles }: WaitingSettlements): string[] {
  return [
    ...printSum(kept, 'wait in the spool to be booked; running servers do that by themselves'),
    ...printSum(quarantined, 'were refused and need a person: npm run tollgate -- settlements list'),
    ...printSum(ofOthers, `in the spool are of another database: ${remedyForOthers}`),
    ...damagedFiles.map((name) => `waiting the file ${name} has settlements that cannot be read`),
  ];
}

function printSum({ settlements, tokens }: WaitingSum, what: string): string[] {
  return settlements === 0 ? [] : [`waiting ${settlements} settlements with ${tokens} tokens ${what}`];
}

function sum(tokens: readonly number[]): WaitingSum {
  return { settlements: tokens.length, tokens: tokens.reduce((total, one) => total + one, 0) };
}
