import { randomBytes } from 'node:crypto';
import { type EntityManager, In, MoreThan } from 'typeorm';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import type { Clock } from '../../kernel/clock.js';
import { hashText } from '../../kernel/texts/hash-text.js';
import { KnownDeviceEntity } from './known-device.entity.js';

const dayMs = 24 * 60 * 60_000;
/** As long as browsers keep any cookie. */
export const deviceLifetimeMs = 400 * dayMs;
const devicesPerAccountMax = 20;
/** So many accounts may take turns in one browser before the first is forgotten there. */
export const deviceTokensMax = 5;

/**
 * The browsers from which an account's owner has signed in, known by a random token that only they and a hash here have. A
 * known device proves nothing; its attempts are only counted apart from those of strangers.
 */
export class KnownDevices {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /**
   * Finds the device that one of the tokens names for this account. Asked of no account, it takes as long and finds none.
   * @returns what the throttle counts it by; null: it is unknown.
   */
  async find(accountId: string | null, tokens: readonly string[]): Promise<string | null> {
    if (tokens.length === 0) return null;
    const device = await this.unitOfWork.reader.findOneBy(KnownDeviceEntity, {
      accountId: accountId ?? '',
      tokenHash: In(tokens.slice(0, deviceTokensMax).map(hashText)),
      lastUsedAtMs: MoreThan(this.clock.nowMs() - deviceLifetimeMs),
    });
    return device && `${device.accountId} ${device.tokenHash}`;
  }

  /**
   * Remembers where the account's owner has just signed in. A token that is not known for this account is never taken over, so
   * that nobody can plant one.
   * @param whenNew Called in the same transaction for a device that was not known.
   * @returns the tokens that the device is to keep, the newest first.
   */
  async remember(
    accountId: string,
    tokens: readonly string[],
    whenNew: (transaction: EntityManager) => Promise<unknown> = async () => {},
  ): Promise<readonly string[]> {
    const kept = tokens.slice(0, deviceTokensMax);
    const nowMs = this.clock.nowMs();
    return this.unitOfWork.transact(async (transaction) => {
      const known = { accountId, tokenHash: In(kept.map(hashText)) };
      const { affected } = await transaction.update(KnownDeviceEntity, known, { lastUsedAtMs: nowMs });
      if (affected) return kept;
      const token = randomBytes(32).toString('base64url');
      const device = { accountId, tokenHash: hashText(token), createdAtMs: nowMs, lastUsedAtMs: nowMs };
      await transaction.insert(KnownDeviceEntity, device);
      await deleteOldest(transaction, accountId);
      await whenNew(transaction);
      return [token, ...kept].slice(0, deviceTokensMax);
    });
  }
}

async function deleteOldest(transaction: EntityManager, accountId: string): Promise<void> {
  const order = { lastUsedAtMs: 'DESC', tokenHash: 'ASC' } as const;
  const old = await transaction.find(KnownDeviceEntity, {
    where: { accountId },
    order,
    skip: devicesPerAccountMax,
    take: devicesPerAccountMax,
  });
  for (const { tokenHash } of old) await transaction.delete(KnownDeviceEntity, { accountId, tokenHash });
}
