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
      title: ended.wasOn ? 'Your automatic top-up was turned off' : 'Your saved card was forgotten',
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
    return 'Your saved card is not charged any more until you agree again: the automatic top-up was turned on or changed not long ago, maybe by somebody else. Calls are answered as long as you have credits. Look at its amounts, and turn it on again, here:';
  }
  const who = payer?.name ?? 'Whoever saved the card';
  const why = isForgotten
    ? payer === null
      ? 'It is not known who saved the card that automatic top-ups charge, so it was forgotten, and nobody’s card is charged any more.'
      : `${who} saved the card that automatic top-ups charge, and may not pay for this account any more. The card was forgotten, and is not charged any more.`
    : `${who} saved the card that automatic top-ups charge, and has to agree again to what is charged: it may have been set by somebody else. Until then the card is not charged.`;
  const next = isForgotten
    ? 'Whoever may pay for this account can save a card of their own, and turn the automatic top-up on, here:'
    : 'Whoever saved the card can turn the automatic top-up on again, and others can save a card of their own, here:';
  return [why, wasOn ? 'Calls are answered as long as you have credits.' : '', next].filter(Boolean).join(' ');
}

function describeToPayer({ account, isForgotten }: EndedTopUp): string {
  const name = account?.name ?? '';
  return isForgotten
    ? `You saved a card for the automatic top-ups of the account “${name}”. You may not pay for it any more, so your card was forgotten there, and is not charged for it again.\n`
    : `Your card was saved for the automatic top-ups of the account “${name}”. What is charged may have been set by somebody else, so your card is not charged for it until you turn the automatic top-up on again.\n`;
}
