import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { Secret } from '../kernel/secret.js';

const saltBytes = 16;
const nonceBytes = 12;
const tagBytes = 16;

/** What opens a seal: it is not stored anywhere, only sent again by whoever has it. */
export interface SealHolder {
  /** The session token or API key of who asked: 238 random bits and more. */
  readonly token: Secret;
  readonly idempotencyKey: string;
}

/**
 * Seals the secret of a key for whoever asked for it. What lies on the disk tells nothing: it is opened by the token and the
 * idempotency key together, and of the token the database has only a hash.
 * @returns at most 200 characters.
 */
export function sealSecret(secret: string, holder: SealHolder): string {
  const salt = randomBytes(saltBytes);
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', deriveKey(holder, salt), nonce);
  const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return Buffer.concat([salt, nonce, cipher.getAuthTag(), sealed]).toString('base64url');
}

/** @returns null when somebody else has sealed it, or it is damaged. */
export function openSealedSecret(text: string, holder: SealHolder): string | null {
  const bytes = Buffer.from(text, 'base64url');
  const salt = bytes.subarray(0, saltBytes);
  const nonce = bytes.subarray(saltBytes, saltBytes + nonceBytes);
  const tag = bytes.subarray(saltBytes + nonceBytes, saltBytes + nonceBytes + tagBytes);
  if (tag.length !== tagBytes) return null;
  const decipher = createDecipheriv('aes-256-gcm', deriveKey(holder, salt), nonce, { authTagLength: tagBytes });
  decipher.setAuthTag(tag);
  const opened = decipher.update(bytes.subarray(saltBytes + nonceBytes + tagBytes));
  try {
    return Buffer.concat([opened, decipher.final()]).toString('utf8');
  } catch {
    return null;
  }
}

function deriveKey({ token, idempotencyKey }: SealHolder, salt: Buffer): Buffer {
  const purpose = `tollgate: the secret of a key, asked for as ${idempotencyKey}`;
  return Buffer.from(hkdfSync('sha256', token.reveal(), salt, purpose, 32));
}
