import { AppError } from '../kernel/app-error.js';
import type { ApiKeyEntity } from './api-key.entity.js';
import { hashSecret } from './key-secret.js';
import type { MadeSecret } from './made-once.js';

/** @throws AppError `conflict` for a revoked key. */
export function requireActive(row: ApiKeyEntity): void {
  if (row.revokedAtMs === null) return;
  throw new AppError('conflict', 'This key is revoked, and stays so. Create a new one.');
}

/**
 * For a key that is to be rotated. Of several who rotate a key at once one does: the others would end the secret that programs use, or be shown one that is dead.
 * @param seen The key when it was asked for; null: there was none.
 * @throws AppError `conflict` when its secret is another one by now, or it is revoked.
 */
export function requireSecretSeen(row: ApiKeyEntity, seen: ApiKeyEntity | null): void {
  requireActive(row);
  if (row.secretHash === seen?.secretHash) return;
  const words = `${row.id} got a new secret by another request at the same moment, and none by this one. Use that one, or rotate it again.`;
  throw new AppError('conflict', words, { metadata: { apiKeyId: row.id } });
}

/** That a secret which was made before is the one in force, so that it may be shown again. @returns what is to change: nothing. @throws AppError `conflict` */
export function requireInForce(row: ApiKeyEntity, { keyId, secret }: MadeSecret): null {
  if (row.revokedAtMs === null && row.secretHash === hashSecret(secret)) return null;
  const remedy =
    row.revokedAtMs === null ? `has got another secret since. Rotate ${keyId} for a new one` : 'is revoked';
  const words = `This was done before, for ${keyId}, which ${remedy}.`;
  throw new AppError('conflict', words, { param: 'idempotencyKey', metadata: { apiKeyId: keyId } });
}
