import { type EntityManager, In, MoreThan } from 'typeorm';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { RotatingPages } from '../kernel/jobs/rotating-pages.js';
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
 * Asks the gateway to forget those of these cards that were noted, at once. They stay noted until `forgetNotedCards` has seen to it.
 * @returns the others. @throws AppError `service_unavailable` when the gateway cannot be reached.
 */
export async function forgetAtOnce(
  { unitOfWork, cards }: { readonly unitOfWork: Pick<UnitOfWork, 'reader'>; readonly cards: CardGateway },
  cardIds: readonly string[],
): Promise<readonly string[]> {
  const where = { gateway: cards.name, cardId: In([...cardIds, '']) };
  const noted = new Set((await unitOfWork.reader.findBy(CardToForgetEntity, where)).map(({ cardId }) => cardId));
  for (const cardId of noted) await cards.forgetCard(cardId);
  return cardIds.filter((cardId) => !noted.has(cardId));
}

/** The noted cards, 200 at a time. */
export const makeCardPages = () => new RotatingPages<CardToForgetEntity>(cardsPerSweep, ({ cardId }) => cardId);

/**
 * Asks the gateway to forget a page of the cards that were noted. One that it could not be asked about stays noted. Safe to repeat,
 * and on several instances at once.
 * @param attempt Runs what may fail, so that the others are asked about all the same.
 */
export async function forgetNotedCards(
  { unitOfWork, cards }: { readonly unitOfWork: UnitOfWork; readonly cards: CardGateway },
  pages: RotatingPages<CardToForgetEntity>,
  attempt: (work: () => Promise<unknown>) => Promise<void>,
): Promise<void> {
  const noted = await pages.next((after, take) => {
    const where = { gateway: cards.name, cardId: MoreThan(after) };
    return unitOfWork.reader.find(CardToForgetEntity, { where, order: { cardId: 'ASC' }, take });
  });
  for (const { gateway, cardId } of noted) {
    await attempt(async () => {
      await cards.forgetCard(cardId);
      await unitOfWork.transactForServer((transaction) => transaction.delete(CardToForgetEntity, { gateway, cardId }));
    });
  }
}
