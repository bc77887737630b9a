import type { EntityManager } from 'typeorm';
import type { UnitOfWork } from '../database/unit-of-work.js';
import type { CardGateway } from '../purchases/card-gateway.js';
import { CardToForgetEntity } from './card-to-forget.entity.js';

const cardsPerSweep = 200;

/** Notes in the caller's transaction that the gateway is to forget a card; `forgetNotedCards` sees to it. */
export async function forgetAtGateway(
  transaction: EntityManager,
  { gateway, cardId, nowMs }: { readonly gateway: string; readonly cardId: string; readonly nowMs: number },
): Promise<void> {
  await transaction.upsert(CardToForgetEntity, { gateway, cardId, notedAtMs: nowMs }, ['gateway', 'cardId']);
}

/**
 * Asks the gateway to forget the cards that were noted, the oldest 200. One that it could not be asked about stays noted. Safe to repeat,
 * and on several instances at once.
 * @param attempt Runs what may fail, so that the others are asked about all the same.
 */
export async function forgetNotedCards(
  { unitOfWork, cards }: { readonly unitOfWork: UnitOfWork; readonly cards: CardGateway },
  attempt: (work: () => Promise<unknown>) => Promise<void>,
): Promise<void> {
  const noted = await unitOfWork.reader.find(CardToForgetEntity, {
    where: { gateway: cards.name },
    order: { notedAtMs: 'ASC' },
    take: cardsPerSweep,
  });
  for (const { gateway, cardId } of noted) {
    await attempt(async () => {
      await cards.forgetCard(cardId);
      await unitOfWork.transact((transaction) => transaction.delete(CardToForgetEntity, { gateway, cardId }));
    });
  }
}
