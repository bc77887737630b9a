import type { NewNotice } from '../notices/outbox.js';

/** Who is told of the end of a top-up. */
export interface TopUpEnding {
  readonly isAccountTold: boolean;
  readonly isPayerTold: boolean;
}

interface Party {
  readonly name: string;
  readonly verifiedEmail: string | null;
}

/** What ended, and whose it was. */
export interface EndedTopUp extends TopUpEnding {
  readonly accountId: string;
  readonly account: Party | null;
  /** Who saved the card; null: nobody knows. */
  readonly payerId: string | null;
  readonly payer: Party | null;
  /** Whether the card was forgotten, and not only the consent. */
  readonly isForgotten: boolean;
  /** Whether the automatic top-up was on. */
  readonly wasOn: boolean;
}

/** The mails about a card that is charged no more: to the account, and to whoever saved it, where that is another person. */
export function describePayerMails(
  ended: EndedTopUp,
  at: { readonly publicUrl: string; readonly nowMs: number },
): NewNotice[] {
  const { accountId, account, isAccountTold, isPayerTold, payerId, payer } = ended;
  const mails: NewNotice[] = [];
  if (isAccountTold && account?.verifiedEmail != null) {
    mails.push({
      subjectKey: `top-up-off:${accountId}:card:${at.nowMs}`,
      accountId,
      channel: 'email',
      recipient: account.verifiedEmail,
      title: ended.wasOn ? 'Your automatic top-up was turned off' : 'Your saved card was removed',
      body: `${describeToAccount(ended)}\n${at.publicUrl}/credits\n`,
    });
  }
  if (isPayerTold && payerId !== null && payerId !== accountId && payer?.verifiedEmail != null) {
    mails.push({
      subjectKey: `card-forgotten:${payerId}:${accountId}:${at.nowMs}`,
      // Theirs: it is nothing of the account's any more.
      accountId: payerId,
      channel: 'email',
      recipient: payer.verifiedEmail,
      title: 'Your card is no longer charged for another account',
      body: describeToPayer(ended),
    });
  }
  return mails;
}

function describeToAccount({ accountId, isForgotten, payer, payerId, wasOn }: EndedTopUp): string {
  if (payerId === accountId && !isForgotten) {
    return 'Your saved card is not charged until you confirm: the automatic top-up was turned on or changed recently, possibly by somebody else. Calls work as long as you have credits. Check its amounts and turn it on again here:';
  }
  const who = payer?.name ?? 'The person who saved the card';
  const why = isForgotten
    ? payer === null
      ? 'We do not know who saved the card for automatic top-ups, so it was removed. No card is charged any more.'
      : `${who} saved the card for automatic top-ups and may no longer pay for this account. The card was removed and is no longer charged.`
    : `${who} saved the card for automatic top-ups and has to confirm the amounts, because somebody else may have set them. Until then, the card is not charged.`;
  const next = isForgotten
    ? 'Anyone who may pay for this account can save a card of their own and turn on the automatic top-up here:'
    : 'The person who saved the card can turn the automatic top-up on again, and others can save a card of their own, here:';
  return [why, wasOn ? 'Calls work as long as you have credits.' : '', next].filter(Boolean).join(' ');
}

function describeToPayer({ account, isForgotten }: EndedTopUp): string {
  const name = account?.name ?? '';
  return isForgotten
    ? `You saved a card for the automatic top-ups of the account “${name}”. You may no longer pay for it, so your card was removed there and will not be charged for it again.\n`
    : `Your card was saved for the automatic top-ups of the account “${name}”. Somebody else may have set the amounts, so your card is not charged for it until you turn the automatic top-up on again.\n`;
}
