import { parseArgs } from 'node:util';
import { AppError } from '../kernel/app-error.js';
import type { Ledger } from './ledger.js';
import { type QuarantinedSettlement, SettlementQuarantine } from './settlement-quarantine.js';
import { tokensOf } from './spool-records.js';
import { printWaitingSettlements, readWaitingSettlements } from './waiting-settlements.js';

/** The lines of the usage that are about this command. */
export const settlementsUsage = `  settlements list           what was refused and waits for a decision, and what waits to be booked
  settlements book <call> [--reason "…"]      books a refused settlement now that what stood in its way is gone
  settlements dismiss <call> --reason "…"     charges nothing for it; it stays on record with the reason`;

export interface SettlementsCommandParts {
  readonly spoolFolder: string;
  readonly ledger: Pick<Ledger, 'bookAgain'>;
  readonly print: (line: string) => void;
}

/**
 * `settlements list | book | dismiss`: what an operator decides about settlements that the ledger refused.
 * @param words What follows `settlements`.
 * @throws AppError `invalid_value` for words that mean nothing, `not_found` for a call that is not in quarantine, `conflict` when
 *   the ledger refuses it again, `service_unavailable` when the database does not take it now.
 */
export async function runSettlementsCommand(words: readonly string[], parts: SettlementsCommandParts): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: { reason: { type: 'string' } },
  });
  const [verb, callId, ...rest] = positionals;
  const reason = values.reason?.trim() ?? '';
  if (rest.length > 0) throw new AppError('invalid_value', `Nothing is known about '${rest[0]}'.`);
  if (verb === 'list' && callId === undefined) return list(parts);
  if (verb !== 'book' && verb !== 'dismiss') {
    throw new AppError('invalid_value', 'Say list, book <call> or dismiss <call> after settlements.');
  }
  if (callId === undefined) throw new AppError('invalid_value', `Name the call: settlements ${verb} call_….`);
  if (verb === 'dismiss' && reason === '') throw new AppError('invalid_value', 'Say why: --reason "…".');
  const quarantine = new SettlementQuarantine(parts.spoolFolder);
  const settlement = await quarantine.find(callId);
  if (settlement === null) {
    throw new AppError('not_found', `There is no settlement of ${callId} in quarantine: see settlements list.`);
  }
  if (verb === 'book') await book(settlement, parts);
  await quarantine.end(settlement, verb === 'book' ? 'booked' : 'dismissed', reason);
  parts.print(`${callId} is ${verb === 'book' ? 'booked' : 'dismissed'}.`);
}

async function list({ spoolFolder, print }: SettlementsCommandParts): Promise<void> {
  const quarantine = new SettlementQuarantine(spoolFolder);
  for (const settlement of await quarantine.list()) {
    const { input, reason, quarantinedAtMs } = settlement;
    const since = new Date(quarantinedAtMs).toISOString();
    print(`${input.callId}  ${input.accountId}  ${tokensOf(input)} tokens  refused ${since}: ${reason}`);
  }
  const waiting = printWaitingSettlements(await readWaitingSettlements(spoolFolder));
  for (const line of waiting.length > 0 ? waiting : ['Nothing waits.']) print(line);
}

async function book({ input }: QuarantinedSettlement, { ledger }: SettlementsCommandParts): Promise<void> {
  const result = await ledger.bookAgain(input);
  if (result.status === 'settled') return;
  const why = 'reason' in result ? result.reason : result.status;
  throw new AppError('conflict', `The ledger refuses ${input.callId} again (${why}); it stays in quarantine.`);
}
