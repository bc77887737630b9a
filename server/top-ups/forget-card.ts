import type { EntityManager } from 'typeorm';
import type { Outbox } from '../notices/outbox.js';
import { AutoTopUpEntity } from './auto-top-up.entity.js';

export interface ForgetCardParts {
  readonly outbox: Pick<Outbox, 'put'>;
  readonly publicUrl: string;
  findEmail(accountId: string): Promise<string | null>;
}

/** A card that is of no use any more. */
export interface ForgottenCard {
  readonly accountId: string;
  /** The payment gateway that kept it. */
  readonly gateway: string;
  /** What the owner is told of once. */
  readonly subject: string;
}

/**
 * Forgets an account's saved card in the caller's transaction. An automatic top-up by it is turned off, and its owner is told so.
 */
export async function forgetCard(
  transaction: EntityManager,
  { accountId, gateway, subject }: ForgottenCard,
  { findEmail, outbox, publicUrl }: ForgetCardParts,
): Promise<void> {
  // Locks the row, as whoever begins a top-up does.
  await transaction.increment(AutoTopUpEntity, { accountId, gateway }, 'revision', 1);
  const card = { cardId: null, cardBrand: null, cardLast4: null, cardExpiryMonth: null, cardExpiryYear: null };
  await transaction.update(AutoTopUpEntity, { accountId, gateway }, card);
  const off = { isOn: false, failure: 'no_card', pausedUntilMs: null } as const;
  const { affected } = await transaction.update(AutoTopUpEntity, { accountId, gateway, isOn: true }, off);
  const recipient = affected === 1 ? await findEmail(accountId) : null;
  if (recipient === null) return;
  await outbox.put(transaction, {
    subjectKey: `top-up-failed:${subject}`,
    ...{ accountId, channel: 'email', recipient, title: 'Your automatic top-up is off' },
    body: `Your saved card is no longer there. Nothing was charged. The automatic top-up is off until you turn it on again. Save another card here:\n${publicUrl}/credits\n`,
  });
}
