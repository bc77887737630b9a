import type { EntityManager } from 'typeorm';
import { ApiKeyEntity } from './api-key.entity.js';

/** The account that a key belongs to, revoked keys too; null: there is no such key. */
export async function findKeyOwner(reader: EntityManager, keyId: string): Promise<string | null> {
  return (await reader.findOneBy(ApiKeyEntity, { id: keyId }))?.accountId ?? null;
}
