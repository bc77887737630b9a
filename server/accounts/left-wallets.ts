import { IsNull, MoreThan, Not } from 'typeorm';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { RepeatedJob } from '../kernel/jobs/repeated-job.js';
import type { Logger } from '../kernel/logger.js';
import { findWalletsNotClosed } from '../ledger/find-wallets-not-closed.js';
import type { Ledger } from '../ledger/ledger.js';
import { AccountEntity } from './account.entity.js';

export interface LeftWalletsParts {
  readonly unitOfWork: UnitOfWork;
  readonly ledger: Pick<Ledger, 'setWalletState'>;
  readonly logger: Logger;
}

const intervalMs = 3_600_000;
const lookedAtOnceMax = 500;

/**
 * Closes the wallets that deleted accounts have left, because the process that deleted them died, or the ledger was away, before that
 * was done. Looks soon after the start and every hour.
 */
export class LeftWallets {
  readonly job: RepeatedJob;

  constructor(private readonly parts: LeftWalletsParts) {
    this.job = new RepeatedJob({
      run: (signal) => this.closeLeft(signal),
      intervalMs,
      onFailure: (error) => parts.logger.error('left_wallets_not_closed', { error }),
    });
  }

  /** @throws AppError `service_unavailable`, or the database's error; what is left then is closed by the next look. */
  async closeLeft(signal?: AbortSignal): Promise<void> {
    const { reader } = this.parts.unitOfWork;
    let lastId = '';
    for (;;) {
      const where = { closedAtMs: Not(IsNull()), id: MoreThan(lastId) };
      const rows = await reader.find(AccountEntity, {
        select: { id: true },
        where,
        order: { id: 'ASC' },
        take: lookedAtOnceMax,
      });
      for (const accountId of await findWalletsNotClosed(
        reader,
        rows.map(({ id }) => id),
      ))
        await this.#close(accountId);
      lastId = rows.at(-1)?.id ?? '';
      if (rows.length < lookedAtOnceMax || signal?.aborted) return;
    }
  }

  async #close(accountId: string): Promise<void> {
    await this.parts.ledger.setWalletState({ accountId, state: 'closing' });
    this.parts.logger.warn('left_wallet_closed', { accountId });
  }
}
