import { type EntityManager, In, IsNull } from 'typeorm';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { AppError, InvalidInputError } from '../kernel/app-error.js';
import type { Clock } from '../kernel/clock.js';
import { noteCatalogueChange } from './catalogue-store.js';
import { PriceVersionEntity } from './price-version.entity.js';
import type { AlsoWrite } from './provider-changes.js';

export type PriceVersion = Readonly<PriceVersionEntity>;

export interface PriceVersionsParts {
  readonly unitOfWork: UnitOfWork;
  readonly clock: Clock;
}

export interface NewPrices {
  readonly document: string;
  /** As `readTime` gave it. */
  readonly effectiveAtMs: number;
  /** For the list of versions; cut to 191 characters. */
  readonly by: string;
}

const aheadMsMax = 366 * 24 * 60 * 60_000;
const comingMax = 12;

/** Models and prices by the time from which each version is in force. Whoever writes has checked the text. */
export class PriceVersions {
  constructor(private readonly parts: PriceVersionsParts) {}

  /** The version that is in force at that time, as it is known now; null: none, the settings and the file alone. */
  async findInForce(atMs: number): Promise<PriceVersion | null> {
    const begun = (await this.#listBeginnings()).filter(({ beginsAtMs }) => beginsAtMs <= atMs);
    const [version = null] = await this.#read(begun.slice(-1));
    return version;
  }

  /** Those that are in force in a range, the one at its beginning included; in the order of time. */
  async listInForce({
    fromMs,
    toMs,
  }: {
    readonly fromMs: number;
    readonly toMs: number;
  }): Promise<readonly PriceVersion[]> {
    const all = await this.#listBeginnings();
    const first = all.filter(({ beginsAtMs }) => beginsAtMs <= fromMs).slice(-1);
    const later = all.filter(({ beginsAtMs }) => beginsAtMs > fromMs && beginsAtMs < toMs);
    return this.#read([...first, ...later]);
  }

  /** Those that come into force after that time, in this order; at most 12. */
  async listComing(afterMs: number): Promise<readonly PriceVersion[]> {
    const coming = (await this.#listBeginnings()).filter(({ beginsAtMs }) => beginsAtMs > afterMs);
    return this.#read(coming.slice(0, comingMax));
  }

  /** The newest first; at most `first`. */
  async list(first: number): Promise<readonly PriceVersion[]> {
    return this.parts.unitOfWork.reader.find(PriceVersionEntity, { order: { number: 'DESC' }, take: first });
  }

  /** @returns the time from which prices are in force. @throws InvalidInputError for one in the past, or more than a year ahead. */
  readTime(effectiveAtMs: number | null): number {
    const nowMs = this.parts.clock.nowMs();
    if (effectiveAtMs === null) return nowMs;
    if (effectiveAtMs >= nowMs && effectiveAtMs <= nowMs + aheadMsMax) return effectiveAtMs;
    const words = 'Prices begin now or later, at most a year ahead: calls that were made have their price.';
    throw new InvalidInputError('effectiveAt', words);
  }

  /** @returns its number. @throws AppError `conflict` when 12 wait already. */
  async add({ document, effectiveAtMs, by }: NewPrices, also: AlsoWrite): Promise<number> {
    const nowMs = this.parts.clock.nowMs();
    return this.parts.unitOfWork.transact(async (transaction) => {
      await noteCatalogueChange(transaction);
      const waiting = (await listBeginnings(transaction, nowMs)).filter(({ beginsAtMs }) => beginsAtMs > nowMs);
      if (waiting.length >= comingMax)
        throw new AppError('conflict', `${comingMax} versions wait for their time already. Withdraw one first.`);
      const number = Number((await transaction.maximum(PriceVersionEntity, 'number')) ?? 0) + 1;
      await transaction.insert(PriceVersionEntity, {
        number,
        document,
        effectiveAtMs,
        createdAtMs: nowMs,
        withdrawnAtMs: null,
        createdBy: by.slice(0, 191),
      });
      await also(transaction, String(number));
      return number;
    });
  }

  /** Takes back a version that is not in force yet. @throws AppError `not_found`; `conflict` for one that is, or was. */
  async withdraw(number: number, also: AlsoWrite): Promise<void> {
    const nowMs = this.parts.clock.nowMs();
    await this.parts.unitOfWork.transact(async (transaction) => {
      await noteCatalogueChange(transaction);
      const version = await transaction.findOneBy(PriceVersionEntity, { number });
      if (version === null || version.withdrawnAtMs !== null)
        throw new AppError('not_found', 'There is no such version, or it is withdrawn.');
      if (version.effectiveAtMs <= nowMs || beganAtOnce(version))
        throw new AppError('conflict', 'It is in force, and calls were made at its prices. Apply others instead.');
      await transaction.update(PriceVersionEntity, { number }, { withdrawnAtMs: nowMs });
      await also(transaction, String(number));
    });
  }

  #listBeginnings(): Promise<readonly Beginning[]> {
    return listBeginnings(this.parts.unitOfWork.reader, this.parts.clock.nowMs());
  }

  /** With the times from which they are in force as those of their beginning. */
  async #read(beginnings: readonly Beginning[]): Promise<readonly PriceVersion[]> {
    const where = { number: In(beginnings.map(({ number }) => number)) };
    const rows = beginnings.length === 0 ? [] : await this.parts.unitOfWork.reader.findBy(PriceVersionEntity, where);
    return beginnings.flatMap(({ number, beginsAtMs }) => {
      const row = rows.find((one) => one.number === number);
      return row === undefined ? [] : [{ ...row, effectiveAtMs: beginsAtMs }];
    });
  }
}

interface Beginning {
  readonly number: number;
  readonly beginsAtMs: number;
}

/** What was set to begin at once; what is planned begins later than it was made. */
function beganAtOnce({ effectiveAtMs, createdAtMs }: Pick<PriceVersion, 'effectiveAtMs' | 'createdAtMs'>): boolean {
  return effectiveAtMs <= createdAtMs;
}

/**
 * From when each version is in force, in the order of time; of two from the same time on the later one stands behind. What was set to begin
 * at once has begun, and before whatever was set so after it, also where the clock was ahead then and is set right since.
 */
async function listBeginnings(reader: EntityManager, nowMs: number): Promise<readonly Beginning[]> {
  const versions = await reader.find(PriceVersionEntity, {
    select: { number: true, effectiveAtMs: true, createdAtMs: true },
    where: { withdrawnAtMs: IsNull() },
    order: { number: 'DESC' },
  });
  let begunByMs = nowMs;
  const beginnings = versions.map((version) => {
    const { number, effectiveAtMs } = version;
    if (!beganAtOnce(version)) return { number, beginsAtMs: effectiveAtMs };
    begunByMs = Math.min(begunByMs, effectiveAtMs);
    return { number, beginsAtMs: begunByMs };
  });
  return beginnings.sort((one, other) => one.beginsAtMs - other.beginsAtMs || one.number - other.number);
}
