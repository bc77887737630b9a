import type { ApiKeyEntity } from './api-key.entity.js';
import { type KeyPermissions, readPermissions } from './key-permissions.js';

/** A key without anything secret. */
export interface ApiKey extends KeyPermissions {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  /** The person who made it; null: whoever signed up for the account. */
  readonly madeBy: string | null;
  readonly maskedSecret: string;
  readonly createdAtMs: number;
  readonly lastUsedAtMs: number | null;
  readonly revokedAtMs: number | null;
  /** Until when the secret before the last rotation works too; null, or in the past: it does not. */
  readonly graceEndsAtMs: number | null;
}

export function toApiKey(row: ApiKeyEntity): ApiKey {
  const { id, accountId, name, madeBy, maskedSecret, createdAtMs, lastUsedAtMs, revokedAtMs, graceEndsAtMs } = row;
  const state = { createdAtMs, lastUsedAtMs, revokedAtMs, graceEndsAtMs };
  return { id, accountId, name, madeBy, maskedSecret, ...state, ...readPermissions(row) };
}
