import { createHash } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { noteEvent } from '../audit/note-event.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { AppError } from '../kernel/app-error.js';
import type { Logger } from '../kernel/logger.js';
import { ApiKeyEntity } from './api-key.entity.js';
import type { ApiKeyService } from './api-key-service.js';
import { hashSecret, hasValidChecksum } from './key-secret.js';
import type { ScannerKeys } from './scanner-keys.js';

/** A key that somebody found in public. */
export interface Leak {
  readonly accountId: string;
  readonly keyId: string;
  readonly name: string;
  /** Where it was found; null: nobody said. */
  readonly url: string | null;
  /** Whether it was the old secret of a rotated key, whose new one goes on. */
  readonly isOldSecret: boolean;
  /** Of the secret that was found. */
  readonly secretHash: string;
}

export interface LeakedKeysParts {
  readonly unitOfWork: UnitOfWork;
  readonly keys: Pick<ApiKeyService, 'revokeKey' | 'endGrace'>;
  readonly scannerKeys: Pick<ScannerKeys, 'isSigned'>;
  readonly logger: Logger;
  /** Tells the owner, once, in the transaction in which it is written down. */
  tell(transaction: EntityManager, leak: Leak): Promise<void>;
}

/** What was found, in the words of GitHub's programme. */
export interface FoundToken {
  readonly token: string;
  readonly type: string;
  readonly url: string | null;
}

/** What the finder is told: whether it was a key of ours. */
export interface Feedback {
  readonly token_hash: string;
  readonly token_type: string;
  readonly label: 'true_positive' | 'false_positive';
}

/** Ends keys that were found in public, told of by a scanner that signs its reports. */
export class LeakedKeys {
  constructor(private readonly parts: LeakedKeysParts) {}

  /** As `ScannerKeys.isSigned`, over the bytes of a report as they came. */
  isSigned(bytes: Buffer, by: { keyName: string; signature: string }): Promise<boolean> {
    return this.parts.scannerKeys.isSigned(bytes, by);
  }

  /**
   * Revokes each key that was found, on every instance, and tells the owner of one that was in force until then, in one transaction:
   * no report that comes again would. Of a rotated key whose old secret was found, that secret ends and the new one goes on.
   * @throws once all are dealt with, what the first one that failed was refused with.
   */
  async report(found: readonly FoundToken[]): Promise<readonly Feedback[]> {
    const feedback: Feedback[] = [];
    const failures: unknown[] = [];
    for (const { token, type, url } of found) {
      const end = () => this.#end(token, url).catch((error: unknown) => failures.push(error) > 0);
      const isOurs = hasValidChecksum(token) && (await end());
      const label = isOurs ? 'true_positive' : 'false_positive';
      feedback.push({ token_hash: createHash('sha256').update(token).digest('hex'), token_type: type, label });
    }
    if (failures.length > 0) throw failures[0];
    return feedback;
  }

  async #end(token: string, url: string | null): Promise<boolean> {
    const { logger, unitOfWork } = this.parts;
    const secretHash = hashSecret(token);
    const where = [{ secretHash }, { previousSecretHash: secretHash }];
    const row = await unitOfWork.reader.findOne(ApiKeyEntity, { where });
    if (row === null) return false;
    const { id: keyId, accountId, name } = row;
    const isOldSecret = row.secretHash !== secretHash;
    const leak = { accountId, keyId, name, url, isOldSecret, secretHash };
    if (row.revokedAtMs !== null) await this.#endKey(leak);
    else await this.#endAndTell(leak);
    logger.warn('leaked_key_ended', { keyId, accountId, isOldSecret });
    return true;
  }

  async #endAndTell(leak: Leak): Promise<void> {
    const { accountId, keyId, name } = leak;
    try {
      await this.#endKey(leak, async (transaction) => {
        await noteEvent(transaction, { accountId, kind: 'key_leaked', subjectId: keyId, detail: name });
        await this.parts.tell(transaction, leak);
      });
    } catch (error) {
      if (error instanceof AppError) throw error;
      // Nothing may hold up the end of the key.
      this.parts.logger.error('leak_not_told', { accountId, keyId, error });
      await this.#endKey(leak);
    }
  }

  #endKey({ accountId, keyId, isOldSecret }: Leak, also?: (transaction: EntityManager) => Promise<void>) {
    const { keys } = this.parts;
    const change = { accountId, keyId, by: null };
    return isOldSecret ? keys.endGrace(change, also) : keys.revokeKey(change, also);
  }
}
