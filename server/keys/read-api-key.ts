import type { ApiKey } from '../kernel/api-key.js';
import type { ApiKeyEntity } from './api-key.entity.js';
import { readPermissions } from './key-permissions.js';

/** What a key's row says, without its secrets. */
export function toApiKey(row: ApiKeyEntity): ApiKey {
  const { id, accountId, name, madeBy, maskedSecret, createdAtMs, lastUsedAtMs, revokedAtMs, graceEndsAtMs } = row;
  const state = { createdAtMs, lastUsedAtMs, revokedAtMs, graceEndsAtMs };
  return { id, accountId, name, madeBy, maskedSecret, ...state, ...readPermissions(row) };
}
