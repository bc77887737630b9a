import { createHash } from 'node:crypto';
import { networkOf } from '../../kernel/addresses/network-address.js';
import type { Mail } from '../../kernel/texts/mail.js';
import { onlyPrintable } from '../../kernel/texts/printable-text.js';

/**
 * Tells an owner of a sign-in from a browser or program that has not signed in before. One that keeps no cookies is told of once a
 * day for each network.
 */
export function describeNewDevice(
  { id, email }: { readonly id: string; readonly email: string },
  { address, userAgent }: { readonly address: string; readonly userAgent: string | null },
  nowMs: number,
): Mail {
  const network = networkOf(address);
  const program = onlyPrintable(userAgent ?? 'a program without a name').slice(0, 191);
  const at = new Date(nowMs).toISOString();
  const device = createHash('sha256').update(`${network} ${program}`).digest('hex').slice(0, 32);
  return {
    subjectKey: `new-device:${id}:${device}:${at.slice(0, 10)}`,
    accountId: id,
    channel: 'email',
    recipient: email,
    title: 'A new device signed in to your account',
    body: `Somebody signed in to your account from a new device.\n\nWhen: ${at}\nFrom: ${network}\nWith: ${program}\n\nIf it was you, you can ignore this e-mail. If it was not, choose “Forgot your password?” on the sign-in page to set a new one, which ends every session. Your settings show what has happened since.`,
  };
}
