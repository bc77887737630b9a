import { openSealedText, type SealKey, sealText } from '../kernel/sealed-text.js';
import type { Secret } from '../kernel/secret.js';

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
  return sealText(secret, toSealKey(holder)).toString('base64url');
}

/** @returns null when somebody else has sealed it, or it is damaged. */
export function openSealedSecret(text: string, holder: SealHolder): string | null {
  return openSealedText(Buffer.from(text, 'base64url'), toSealKey(holder));
}

function toSealKey({ token, idempotencyKey }: SealHolder): SealKey {
  return { token, purpose: `tollgate: the secret of a key, asked for as ${idempotencyKey}` };
}
