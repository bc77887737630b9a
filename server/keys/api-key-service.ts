import { type EntityManager, IsNull } from 'typeorm';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { AppError, InvalidInputError, NotFoundError } from '../kernel/app-error.js';
import type { Clock } from '../kernel/clock.js';
import { createId, isId } from '../kernel/ids.js';
import { ApiKeyEntity } from './api-key.entity.js';
import { hashSecret, maskSecret, mintSecret } from './key-secret.js';

export type ApiKey = Readonly<Omit<ApiKeyEntity, 'secretHash' | 'account'>>;

export interface CreatedKey {
  readonly apiKey: ApiKey;
  /** Shown to its owner now and never again. */
  readonly secret: string;
}

export const keyNameLengthMax = 100;
const listedKeysMax = 1_000;

/** The keys of accounts. Every method is bounded by the account: a foreign key answers as a missing one. */
export class ApiKeyService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly keysPerAccountMax: number,
  ) {}

  /**
   * Makes a key. However many are asked for at once, no more than `keysPerAccountMax` are active.
   * @throws AppError `conflict` when that many are active already; InvalidInputError for an empty or overlong name.
   */
  async createKey(accountId: string, name: string): Promise<CreatedKey> {
    const secret = mintSecret();
    const key: ApiKeyEntity = {
      id: createId('key'),
      accountId,
      name: checkName(name),
      secretHash: hashSecret(secret),
      maskedSecret: maskSecret(secret),
      createdAtMs: this.clock.nowMs(),
      lastUsedAtMs: null,
      revokedAtMs: null,
    };
    await this.unitOfWork.transact(async (transaction) => {
      await lockKeysOfAccount(transaction, accountId);
      const activeKeys = await transaction.countBy(ApiKeyEntity, { accountId, revokedAtMs: IsNull() });
      if (activeKeys >= this.keysPerAccountMax) throw new AppError('conflict', this.#describeLimit());
      await transaction.insert(ApiKeyEntity, key);
    });
    return { apiKey: key, secret };
  }

  /** Newest first, revoked ones included; the newest 1,000. */
  async listKeys(accountId: string): Promise<readonly ApiKey[]> {
    const where = { accountId };
    return this.unitOfWork.reader.find(ApiKeyEntity, { where, order: { id: 'DESC' }, take: listedKeysMax });
  }

  async findKey(accountId: string, keyId: string): Promise<ApiKey | null> {
    if (!isId('key', keyId)) return null;
    return this.unitOfWork.reader.findOneBy(ApiKeyEntity, { id: keyId, accountId });
  }

  /**
   * Ends a key for good. From its commit on no call can be paid with it, on any instance, since each hold looks at the
   * key's state. Revoking it again changes nothing.
   * @throws NotFoundError
   */
  async revokeKey(accountId: string, keyId: string): Promise<ApiKey> {
    const revokedAtMs = this.clock.nowMs();
    await this.unitOfWork.transact((transaction) =>
      transaction.update(ApiKeyEntity, { id: keyId, accountId, revokedAtMs: IsNull() }, { revokedAtMs }),
    );
    const key = await this.findKey(accountId, keyId);
    if (!key) throw new NotFoundError('API key');
    return key;
  }

  #describeLimit(): string {
    return this.keysPerAccountMax === 1
      ? 'Your account has an active key already. Revoke it first, then create a new one.'
      : `Your account has ${this.keysPerAccountMax} active keys, which is the most it may have. Revoke one first.`;
  }
}

// Writing the account's row first makes attempts side by side wait for each other, so that each counts what the one
// before it has made. Named by its table, since keys know accounts by their id only.
async function lockKeysOfAccount(transaction: EntityManager, accountId: string): Promise<void> {
  const { affected } = await transaction.increment('account', { id: accountId }, 'keyRevision', 1);
  if (affected !== 1) throw new NotFoundError('account');
}

function checkName(name: string): string {
  const trimmed = name.trim();
  if (trimmed === '' || [...trimmed].length > keyNameLengthMax || /[\p{Cc}\p{Cs}]/u.test(trimmed)) {
    throw new InvalidInputError('name', `A key's name has 1 to ${keyNameLengthMax} printable characters.`);
  }
  return trimmed;
}
