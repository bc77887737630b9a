import { createHmac } from 'node:crypto';
import { type RequestOptions, request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import { isIP } from 'node:net';
import { isPublicAddress } from '../kernel/addresses/public-address.js';
import { lookUpAnyAddress, lookUpPublicAddress } from './webhook-address.js';

export interface WebhookDelivery {
  readonly id: string;
  readonly url: string;
  /** JSON. */
  readonly body: string;
  readonly secret: string;
  readonly nowMs: number;
}

const deliveryTimeoutMs = 5_000;

/**
 * The header that proves who sent a body and when: `t=<seconds>,v1=<HMAC-SHA256 of "t.body" in hexadecimal>`. The receiver
 * computes the same over the raw bytes, and refuses what is older than five minutes.
 */
export function signWebhook(body: string, secret: string, nowMs: number): string {
  const seconds = Math.floor(nowMs / 1_000);
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`;
}

/**
 * Posts a signed body to an address that somebody else chose: five seconds in all, no redirects, nothing of the answer is read
 * but its status, and, unless `isDevelopment`, nothing but public addresses is ever connected to.
 * @throws Error when it was not taken with a status of 2xx.
 */
export function deliverWebhook(delivery: WebhookDelivery, isDevelopment: boolean): Promise<void> {
  const url = new URL(delivery.url);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (!isDevelopment && (url.protocol !== 'https:' || (isIP(host) !== 0 && !isPublicAddress(host)))) {
    return Promise.reject(new Error('This address is not on the public internet.'));
  }
  const options: RequestOptions = {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(delivery.body),
      'user-agent': 'Tollgate',
      'tollgate-notice-id': delivery.id,
      'tollgate-signature': signWebhook(delivery.body, delivery.secret, delivery.nowMs),
    },
    agent: false,
    signal: AbortSignal.timeout(deliveryTimeoutMs),
    lookup: isDevelopment ? lookUpAnyAddress : lookUpPublicAddress,
  };
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? requestSecure : requestPlain)(url, options, (response) => {
      const status = response.statusCode ?? 0;
      response.destroy();
      if (status >= 200 && status < 300) resolve();
      else reject(new Error(`The webhook answered ${status}.`));
    });
    // Whoever switches to another protocol has given no answer of this one, and Node.js tells nothing else of it.
    request.on('upgrade', (response, socket) => {
      socket.destroy();
      reject(new Error(`The webhook answered ${response.statusCode ?? 101}.`));
    });
    // Whatever else may end it without a word. Behind an answer or an error this says nothing.
    request.on('close', () => reject(new Error('The webhook cannot be reached.')));
    request.on('error', (error) => reject(new Error(describeFault(error), { cause: error })));
    request.end(delivery.body);
  });
}

// For whoever owns the address: no addresses of machines, which a name may lead to.
function describeFault(error: Error & { readonly code?: unknown }): string {
  if (error.name === 'AbortError' || error.name === 'TimeoutError')
    return 'The webhook did not answer within 5 seconds.';
  if (error.code === 'ENOTPUBLIC') return error.message;
  const code = typeof error.code === 'string' && /^[A-Z_]{2,40}$/.test(error.code) ? ` (${error.code})` : '';
  return `The webhook cannot be reached${code}.`;
}
