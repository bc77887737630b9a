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
    ? 'Its old secret has ended at once; the one that you rotated it to goes on.'
    : 'It was revoked at once, and no call can be made with it any more.';
  const where = url === null ? '' : ` It was found here: ${url}`;
  return {
    subjectKey: `key-leaked:${keyId}:${secretHash.slice(0, 16)}`,
    accountId,
    channel: 'email',
    recipient,
    title: `Your key ${name} was found in public`,
    body: `A scanner of public code found the secret of your key ${name}. ${what}${where}\n\nTake it out of what you have published, make another key (${publicUrl}/keys), and look through your calls for some that were not yours (${publicUrl}/requests).`,
  };
}
