import type { NewNotice } from './outbox.js';

/** A key that was found in public. */
interface FoundKey {
  readonly accountId: string;
  readonly keyId: string;
  readonly name: string;
  readonly url: string | null;
  readonly isOldSecret: boolean;
  readonly secretHash: string;
}

/** Tells an owner, once for each secret, that a key was found in public and has ended. */
export function describeLeakNotice(
  { accountId, keyId, name, url, isOldSecret, secretHash }: FoundKey,
  { recipient, publicUrl }: { readonly recipient: string; readonly publicUrl: string },
): NewNotice {
  const what = isOldSecret
    ? 'Its old secret was revoked at once. The secret that you rotated it to still works.'
    : 'It was revoked at once and no longer works.';
  const where = url === null ? '' : ` It was found here: ${url}`;
  return {
    subjectKey: `key-leaked:${keyId}:${secretHash.slice(0, 16)}`,
    accountId,
    channel: 'email',
    recipient,
    title: `Your key ${name} was found in public`,
    body: `A scanner of public code found the secret of your key ${name}. ${what}${where}\n\nRemove it from what you published, create a new key (${publicUrl}/keys), and check your requests for calls that were not yours (${publicUrl}/requests).`,
  };
}
