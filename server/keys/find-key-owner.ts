import { Between, type EntityManager } from 'typeorm';
import { ApiKeyEntity } from './api-key.entity.js';
import { hasValidChecksum, maskSecret } from './key-secret.js';

/** The account that a key belongs to, revoked keys too; null: there is no such key. */
export async function findKeyOwner(reader: EntityManager, keyId: string): Promise<string | null> {
  return (await reader.findOneBy(ApiKeyEntity, { id: keyId }))?.accountId ?? null;
}

/**
 * The accounts of keys of which this much is shown, by an index: a whole `sk-tg-ab12…9BgD`, its beginning, or a whole secret, which
 * is looked for by what is shown of it. At most `first`, revoked keys too.
 */
export async function findOwnersOfShownKey(
  reader: EntityManager,
  text: string,
  first: number,
): Promise<readonly string[]> {
  const shown = hasValidChecksum(text) ? maskSecret(text) : text.replace('...', '…');
  const maskedSecret = Between(shown, `${shown}\u{10FFFF}`);
  const keys = await reader.find(ApiKeyEntity, {
    where: { maskedSecret },
    order: { maskedSecret: 'ASC' },
    take: first,
  });
  return [...new Set(keys.map(({ accountId }) => accountId))];
}
