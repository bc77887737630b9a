import type { SavedCard } from '../purchases/card-gateway.js';
import type { AutoTopUpEntity } from './auto-top-up.entity.js';

/** What the settings of an account without a card have. */
export const noCard = {
  ...{ cardId: null, cardBrand: null, cardLast4: null, cardExpiryMonth: null, cardExpiryYear: null },
  ...{ payerId: null, payerCardId: null, payerConsentAtMs: null },
} as const;

/** null: there is none. */
export function readCard(row: AutoTopUpEntity): SavedCard | null {
  if (row.cardId === null) return null;
  return {
    cardId: row.cardId,
    brand: row.cardBrand ?? '',
    last4: row.cardLast4 ?? '',
    expiryMonth: row.cardExpiryMonth ?? 0,
    expiryYear: row.cardExpiryYear ?? 0,
  };
}
