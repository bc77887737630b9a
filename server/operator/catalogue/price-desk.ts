import type { EntityManager } from 'typeorm';
import type { PriceChange } from '../../catalogue/price-preview.js';
import type { PriceVersions } from '../../catalogue/price-versions.js';
import type { PricedWhere } from '../../catalogue/runtime-catalogue.js';
import type { OperatorAction } from '../operator-event.entity.js';
import { type OperatorLog, requireReason } from '../operator-log.js';

export interface PriceDeskParts {
  readonly log: OperatorLog;
  readonly versions: PriceVersions;
  readonly nowMs: () => number;
  /** Has this process take over what was changed, and throws nothing: the change is made. */
  readonly takeOver: () => Promise<void>;
  readonly preview: (document: string, atMs: number) => Promise<readonly PriceChange[]>;
  readonly listPrices: () => Promise<readonly PricedWhere[]>;
}

export interface ListedVersion {
  readonly number: number;
  readonly effectiveAtMs: number;
  readonly createdAtMs: number;
  readonly createdBy: string;
  readonly withdrawnAtMs: number | null;
  readonly isInForce: boolean;
}

export interface AppliedPrices {
  readonly number: number;
  readonly effectiveAtMs: number;
  readonly changes: readonly PriceChange[];
}

const listedMax = 50;

/** What operators set of models and prices. Each change stands in their log, in its transaction. */
export class PriceDesk {
  constructor(
    private readonly parts: PriceDeskParts,
    private readonly actor = 'this server',
  ) {}

  /** The same, whose changes stand in the log under another name. */
  by(actor: string): PriceDesk {
    return new PriceDesk({ ...this.parts, log: this.parts.log.by(actor) }, actor);
  }

  /** The newest fifty versions, and the text that is in force; empty: only what the settings and the file say. */
  async list(): Promise<{ readonly versions: readonly ListedVersion[]; readonly document: string }> {
    const { nowMs, versions } = this.parts;
    const [inForce, newest] = await Promise.all([versions.findInForce(nowMs()), versions.list(listedMax)]);
    const listed = newest.map(({ document: _, ...version }) => ({
      ...version,
      isInForce: version.number === inForce?.number,
    }));
    return { versions: listed, document: inForce?.document ?? '' };
  }

  listPrices(): Promise<readonly PricedWhere[]> {
    return this.parts.listPrices();
  }

  /** What it would change, and nothing is. @throws InvalidInputError for the text or the time. */
  async preview(document: string, effectiveAtMs: number | null): Promise<readonly PriceChange[]> {
    return this.parts.preview(document, this.parts.versions.readTime(effectiveAtMs));
  }

  /** @throws as `preview` and `PriceVersions.add`; InvalidInputError for the reason. */
  async apply(document: string, effectiveAtMs: number | null, reason: string): Promise<AppliedPrices> {
    const { takeOver, versions } = this.parts;
    const also = this.#writes('apply_prices', reason);
    const fromMs = versions.readTime(effectiveAtMs);
    const changes = await this.parts.preview(document, fromMs);
    const number = await versions.add({ document, effectiveAtMs: fromMs, by: this.actor }, also);
    await takeOver();
    return { number, effectiveAtMs: fromMs, changes };
  }

  /** @throws as `PriceVersions.withdraw`; InvalidInputError for the reason. */
  async withdraw(number: number, reason: string): Promise<void> {
    await this.parts.versions.withdraw(number, this.#writes('withdraw_prices', reason));
    await this.parts.takeOver();
  }

  #writes(action: OperatorAction, reason: string) {
    requireReason(reason);
    return (transaction: EntityManager, subject: string) =>
      this.parts.log.write(transaction, { action, subject, reason });
  }
}
