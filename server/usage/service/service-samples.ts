import { queryTogether } from '../../database/query-by-index.js';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import { leastIdAt } from '../../kernel/ids.js';
import type { CallRecord } from '../requests/call-reader.js';

/** How one provider did at one call, whoever's call it was. */
export interface ServiceSample {
  readonly provider: string;
  readonly model: string;
  /** Whether it answered; a refusal of what the caller asked is an answer, too. */
  readonly isAnswered: boolean;
  /** From the call's arrival to the end of the answer; null: the answer was not whole, or another provider gave it. */
  readonly totalMs: number | null;
  readonly firstByteMs: number | null;
}

/** So many calls of each hour are looked at, the newest ones. */
const callsPerHourMax = 100;
const hourMs = 3_600_000;

type Row = Readonly<Record<string, unknown>>;
type Attempt = { readonly provider?: unknown; readonly errorCode?: unknown };

/**
 * What the newest calls of some hours tell of providers, of all accounts together and without a word about any of them.
 * @param hours The beginnings of at most 500 hours.
 */
export async function readServiceSamples(
  { reader }: UnitOfWork,
  hours: readonly number[],
): Promise<ReadonlyMap<number, readonly ServiceSample[]>> {
  const queries = hours.map((startMs) => {
    const query = reader
      .getRepository<CallRecord>('call_record')
      .createQueryBuilder('call')
      .select(String(startMs), 'hourMs')
      // An id is made when its call arrives.
      .where('call.call_id >= :fromId AND call.call_id < :toId', {
        fromId: leastIdAt('call', startMs),
        toId: leastIdAt('call', startMs + hourMs),
      })
      .orderBy('call.callId', 'DESC')
      .limit(callsPerHourMax);
    for (const column of ['model', 'provider', 'outcome', 'error_code', 'total_ms', 'first_byte_ms', 'attempts']) {
      query.addSelect(`call.${column}`, column);
    }
    return query;
  });
  const found = new Map<number, ServiceSample[]>(hours.map((startMs) => [startMs, []]));
  for (const row of await queryTogether(queries, 'PRIMARY')) found.get(Number(row.hourMs))?.push(...toSamples(row));
  return found;
}

function toSamples(row: Row): ServiceSample[] {
  const model = String(row.model);
  const attempts = readAttempts(row);
  return attempts.map(({ provider, errorCode }, at) => {
    const isWhole = row.outcome === 'completed' && at === attempts.length - 1;
    return {
      provider: String(provider),
      model,
      isAnswered: !isFaultOfProvider(errorCode),
      totalMs: isWhole ? Number(row.total_ms) : null,
      firstByteMs: isWhole && row.first_byte_ms !== null ? Number(row.first_byte_ms) : null,
    };
  });
}

function readAttempts({ attempts, provider, error_code, outcome }: Row): readonly Attempt[] {
  const noted = typeof attempts === 'string' ? (JSON.parse(attempts) as readonly Attempt[]) : [];
  if (noted.length > 0) return noted;
  // Lost with its server, or left before anybody was asked: nothing is known of the provider.
  return outcome === 'expired' || provider === '' ? [] : [{ provider, errorCode: error_code }];
}

// As for the open circuit: what the caller did wrong, and a caller who left, say nothing against the provider.
function isFaultOfProvider(code: unknown): boolean {
  return typeof code === 'string' && code.startsWith('provider_') && code !== 'provider_rejected';
}
