import { createHash } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { noteEvent } from '../audit/note-event.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
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
   * Revokes each key that was found, on every instance, and tells the owner of one that was in force until then. Of a rotated key
   * whose old secret was found, that secret ends and the new one goes on.
   */
  async report(found: readonly FoundToken[]): Promise<readonly Feedback[]> {
    const feedback: Feedback[] = [];
    for (const { token, type, url } of found) {
      const isOurs = hasValidChecksum(token) && (await this.#end(token, url));
      const label = isOurs ? 'true_positive' : 'false_positive';
      feedback.push({ token_hash: createHash('sha256').update(token).digest('hex'), token_type: type, label });
    }
    return feedback;
  }

  async #end(token: string, url: string | null): Promise<boolean> {
    const { keys, logger, unitOfWork } = this.parts;
    const secretHash = hashSecret(token);
    const where = [{ secretHash }, { previousSecretHash: secretHash }];
    const row = await unitOfWork.reader.findOne(ApiKeyEntity, { where });
    if (row === null) return false;
    const { id: keyId, accountId, name } = row;
    const isOldSecret = row.secretHash !== secretHash;
    const change = { accountId, keyId, by: null };
    await (isOldSecret ? keys.endGrace(change) : keys.revokeKey(change));
    // Behind the end of the key, which nothing may hold up.
    if (row.revokedAtMs === null) await this.#tell({ accountId, keyId, name, url, isOldSecret });
    logger.warn('leaked_key_ended', { keyId, accountId, isOldSecret });
    return true;
  }

  async #tell(leak: Leak): Promise<void> {
    const { accountId, keyId, name } = leak;
    await this.parts.unitOfWork.transactForServer(async (transaction) => {
      await noteEvent(transaction, { accountId, kind: 'key_leaked', subjectId: keyId, detail: name });
      await this.parts.tell(transaction, leak);
    });
  }
}
