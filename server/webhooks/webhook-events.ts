/** What an endpoint may be told of, in the words of its messages. */
export const webhookEvents = [
  'balance.low',
  'balance.used',
  'budget.used',
  'spending.spike',
  'call.completed',
  'call.failed',
  'call.refused',
] as const;
export type WebhookEvent = (typeof webhookEvents)[number];

/** Those that come as lists of many calls. */
export const callEvents: ReadonlySet<WebhookEvent> = new Set<WebhookEvent>([
  'call.completed',
  'call.failed',
  'call.refused',
]);
