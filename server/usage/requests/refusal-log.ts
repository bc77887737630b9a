import { type EntityManager, LessThan, LessThanOrEqual } from 'typeorm';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import type { WallClock } from '../../kernel/clock.js';
import { leastIdAt, timeOfId } from '../../kernel/ids.js';
import type { Logger } from '../../kernel/logger.js';
import { isPrintable } from '../../kernel/texts/printable-text.js';
import { RefusalEntity } from './refusal.entity.js';

/** A request that was refused before it became a call. */
export interface Refusal {
  /** What it was answered with as `x-request-id`. */
  readonly id: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly status: number;
  readonly errorCode: string;
  readonly model: string | null;
  readonly param: string | null;
  readonly wire: string;
}

/** How many an account keeps, the newest ones, and for how long. */
export const refusalsKeptMax = 200;
export const refusalsKeptMs = 30 * 86_400_000;
const dayMs = 86_400_000;
const flushMs = 2_000;
/** What waits to be written, over all accounts and of one. More than that within two seconds is counted and not kept. */
const waitingMax = 500;
const waitingOfAccountMax = 20;
const nameLengthMax = 191;

/**
 * Keeps what requests were refused for. Noting one costs a look into a map: alike ones of the same seconds are one row with a
 * count, and rows are written two seconds later, in one transaction, whatever happens to it. No money depends on them, so what the
 * database does not take is dropped and logged, and so is what a flood brings beyond 500 kinds, or 20 of one account.
 */
export class RefusalLog {
  readonly #waiting = new Map<string, RefusalEntity>();
  readonly #countOf = new Map<string, number>();
  #dropped = 0;
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: WallClock,
    private readonly logger: Logger,
  ) {}

  /** Never throws and waits for nothing. */
  note(refusal: Refusal): void {
    const { accountId, keyId, status, errorCode } = refusal;
    const model = toName(refusal.model);
    const param = toField(refusal.param);
    const kind = JSON.stringify([accountId, keyId, status, errorCode, model, param, refusal.wire]);
    const known = this.#waiting.get(kind);
    const lastAtMs = this.clock.nowMs();
    if (known) {
      known.times += 1;
      known.lastAtMs = lastAtMs;
      return;
    }
    const count = this.#countOf.get(accountId) ?? 0;
    if (this.#waiting.size >= waitingMax || count >= waitingOfAccountMax) {
      this.#dropped += 1;
      return;
    }
    this.#countOf.set(accountId, count + 1);
    this.#waiting.set(kind, { ...refusal, model, param, times: 1, lastAtMs });
    this.#timer ??= setTimeout(() => void this.flush(), flushMs).unref();
  }

  /** Writes what waits; done when it is written or dropped. Never throws. */
  flush(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const rows = [...this.#waiting.values()];
    const [accountIds, dropped] = [[...this.#countOf.keys()], this.#dropped];
    this.#waiting.clear();
    this.#countOf.clear();
    this.#dropped = 0;
    if (dropped > 0) this.logger.warn('refusals_not_kept', { count: dropped });
    if (rows.length > 0) this.#writing = this.#writing.then(() => this.#write(rows, accountIds));
    return this.#writing;
  }

  /** Writes the last ones. */
  close(): Promise<void> {
    return this.flush();
  }

  async #write(rows: readonly RefusalEntity[], accountIds: readonly string[]): Promise<void> {
    const nowMs = this.clock.nowMs();
    try {
      await this.unitOfWork.transactForServer(async (transaction) => {
        await transaction.insert(RefusalEntity, [...rows]);
        for (const accountId of accountIds) await removeBeyondMax(transaction, accountId);
        await removeOld(transaction, nowMs);
      });
    } catch (error) {
      this.logger.warn('refusals_not_kept', { count: rows.length, error });
    }
  }
}

/** A clock that was set forward is believed only when refusals are a day old by it. */
async function removeOld(transaction: EntityManager, nowMs: number): Promise<void> {
  const [proven] = await transaction.find(RefusalEntity, {
    select: { id: true },
    where: { id: LessThan(leastIdAt('call', Math.max(0, nowMs - dayMs))) },
    order: { id: 'DESC' },
    take: 1,
  });
  const oldestMs = (proven ? timeOfId(proven.id) : 0) - refusalsKeptMs;
  if (oldestMs > 0) await transaction.delete(RefusalEntity, { id: LessThan(leastIdAt('call', oldestMs)) });
}

async function removeBeyondMax(transaction: EntityManager, accountId: string): Promise<void> {
  const [newestTooMany] = await transaction.find(RefusalEntity, {
    select: { id: true },
    where: { accountId },
    order: { id: 'DESC' },
    skip: refusalsKeptMax,
    take: 1,
  });
  if (newestTooMany) await transaction.delete(RefusalEntity, { accountId, id: LessThanOrEqual(newestTooMany.id) });
}

function toName(model: string | null): string | null {
  return model === null || !isPrintable(model) ? null : [...model].slice(0, nameLengthMax).join('');
}

// A field that a caller thought of may say anything; ours have these letters.
function toField(param: string | null): string | null {
  return param !== null && /^[\w.[\]-]{1,100}$/.test(param) ? param : null;
}
