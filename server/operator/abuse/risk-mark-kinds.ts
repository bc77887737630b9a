/** What operators mark an account as. */
export const riskMarkKinds = ['watched', 'gift_farming', 'card_testing', 'shared_key', 'resale', 'trusted'] as const;
export type RiskMarkKind = (typeof riskMarkKinds)[number];
