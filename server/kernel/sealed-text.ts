import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { Secret } from './secret.js';

const saltBytes = 16;
const nonceBytes = 12;
const tagBytes = 16;

/** What opens a seal: it is not stored anywhere, only sent again by whoever has it. */
export interface SealKey {
  /** A secret of 238 random bits or more, such as a session token or an API key. */
  readonly token: Secret;
  /** What is sealed, and whose it is: a seal made for another purpose does not open. */
  readonly purpose: string;
}

/** Encrypts a text so that only the same token opens it, for the same purpose. @returns 44 bytes more than the text. */
export function sealText(text: string, key: SealKey): Buffer {
  const salt = randomBytes(saltBytes);
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', deriveKey(key, salt), nonce);
  const sealed = [cipher.update(text, 'utf8'), cipher.final()];
  return Buffer.concat([salt, nonce, cipher.getAuthTag(), ...sealed]);
}

/** @returns null when somebody else has sealed it, for something else, or it is damaged. */
export function openSealedText(bytes: Buffer, key: SealKey): string | null {
  const salt = bytes.subarray(0, saltBytes);
  const nonce = bytes.subarray(saltBytes, saltBytes + nonceBytes);
  const tag = bytes.subarray(saltBytes + nonceBytes, saltBytes + nonceBytes + tagBytes);
  if (tag.length !== tagBytes) return null;
  const decipher = createDecipheriv('aes-256-gcm', deriveKey(key, salt), nonce, { authTagLength: tagBytes });
  decipher.setAuthTag(tag);
  const opened = decipher.update(bytes.subarray(saltBytes + nonceBytes + tagBytes));
  try {
    return Buffer.concat([opened, decipher.final()]).toString('utf8');
  } catch {
    return null;
  }
}

function deriveKey({ token, purpose }: SealKey, salt: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', token.reveal(), salt, purpose, 32));
}
