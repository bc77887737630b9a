import express, { type NextFunction, type Request, type Response } from 'express';
import type { Logger } from '../kernel/logger.js';
import type { PaymentWebhook } from '../purchases/payment-notices.js';
import type { BodyMemory } from './calls/body-memory.js';

/** Stripe's largest events are a few dozen kilobytes. */
const bodyBytesMax = 256 * 1_024;

/**
 * `POST /webhooks/stripe`: the signature over the raw bytes is verified before anything is read from them. 200 only when what
 * the delivery leads to is on disk; 400 for a delivery that Stripe did not sign; 5xx when we could not deal with it, so that
 * Stripe delivers it again.
 */
export function createStripeWebhookRoute(webhook: PaymentWebhook, bodyMemory: BodyMemory, logger: Logger) {
  const readRawBody = express.raw({ type: 'application/json', limit: bodyBytesMax, inflate: false });
  const receive = async (request: Request, response: Response): Promise<void> => {
    const signature = request.get('stripe-signature') ?? '';
    let notice: ReturnType<PaymentWebhook['readNotice']> = null;
    try {
      if (Buffer.isBuffer(request.body)) notice = webhook.readNotice(request.body, signature);
    } catch (error) {
      // Whoever signed it has our secret, but it is no event.
      logger.error('webhook_unreadable', { error });
      response.status(400).json({ error: 'This delivery is signed, but it is no event.' });
      return;
    }
    if (notice === null) {
      logger.warn('webhook_signature_refused', { hasSignature: signature !== '' });
      response
        .status(400)
        .json({ error: 'This delivery is not signed with our secret, or is older than five minutes.' });
      return;
    }
    try {
      response.json({ received: await webhook.receive(notice) });
    } catch (error) {
      logger.error('webhook_failed', { eventId: notice.id, type: notice.type, error });
      response.status(503).set('retry-after', '5').json({ error: 'Not now. Deliver it again.' });
    }
  };
  return (request: Request, response: Response, next: NextFunction): void => {
    response.once('close', bodyMemory.takeAnnounced(request, 'stripe', bodyBytesMax));
    readRawBody(request, response, (fault?: unknown) => {
      // Too large, compressed, or cut off: whoever sent it, it was not read.
      if (fault) response.status(statusOf(fault)).json({ error: 'This body cannot be read.' });
      else void receive(request, response).catch(next);
    });
  };
}

function statusOf(fault: unknown): number {
  const status = typeof fault === 'object' && fault !== null && 'status' in fault ? Number(fault.status) : 400;
  return status >= 400 && status < 500 ? status : 400;
}
