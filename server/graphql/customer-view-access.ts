import { AppError } from '../kernel/app-error.js';

/**
 * The queries that an operator may ask who looks at an account as its customer sees it: what reads the account, and what every
 * dashboard shows. What does not stand here is closed to a view: every change, every download, the playground, subscriptions, and
 * whatever is added to the schema. A test tries each operation.
 */
export const viewableQueries: ReadonlySet<string> = new Set([
  'accountEvents',
  'announcements',
  'apiKey',
  'apiKeys',
  'autoTopUp',
  // Without the webhook's secret: `purchases/balance-alert.graphql.ts`.
  'balanceAlert',
  'call',
  'calls',
  'creditPacks',
  'explore',
  'factors',
  'invitations',
  'keys',
  'latency',
  'linkedIdentities',
  'members',
  'models',
  'notices',
  'person',
  'proof',
  'providers',
  'purchase',
  'purchases',
  'refusals',
  'requests',
  'serviceStatus',
  'sessions',
  'signInProviders',
  'spending',
  'statement',
  'usage',
  'viewer',
  'webhookDeliveries',
  // Without their secrets: `webhooks/webhook-endpoints.graphql.ts`.
  'webhookEndpoints',
]);

/** @throws AppError `forbidden` for what an operator who looks as a customer may not ask. */
export function requireViewable(operation: string): void {
  if (viewableQueries.has(operation)) return;
  const words =
    'You look at this account as its customer sees it, so you can read here and do nothing else. End the view first.';
  throw new AppError('forbidden', words);
}
