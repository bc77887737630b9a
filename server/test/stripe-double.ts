import type { IncomingMessage, ServerResponse } from 'node:http';
import Stripe from 'stripe';
import { LocalServer } from './local-server.js';
import { StripeDoubleBooks, type StripeObject } from './stripe-double-books.js';
import { type Form, readForm, textAt, textsAt } from './stripe-double-form.js';

/** What the double does to the next request that makes something. */
export type StripeFault =
  | 'none'
  /** It does what was asked, and the answer is lost on the way. */
  | 'lose-answer'
  /** It answers 500 and does nothing. */
  | 'fail'
  /** It answers 400 and does nothing: one of the settings is wrong, and its sentence quotes it. */
  | 'refuse';

interface KeptAnswer {
  readonly body: string;
  readonly status: number;
  readonly answer: string;
}

/** Secrets of the double: in the shape that the settings ask for, and of no use anywhere else. */
export const doubleSecretKey = 'sk_test_0123456789abcdef';
export const doubleWebhookSecret = 'whsec_0123456789abcdef0123456789';

/**
 * Stripe's API over real HTTP, as far as buying credits goes: customers, checkout sessions, payments, refunds, disputes, events,
 * answers replayed by idempotency key. The `stripe` package talks to it. Deliveries are up to the test: it may repeat them and
 * turn their order around.
 */
export class StripeDouble extends LocalServer {
  readonly books = new StripeDoubleBooks();
  fault: StripeFault = 'none';
  /** What it says to a question that names something it does not have. */
  missingStatus: 400 | 404 = 400;
  /** Another one makes it another account of Stripe's. */
  secretKey = doubleSecretKey;
  /** Every connection is cut before it is answered. */
  isAway = false;
  /** `METHOD /path` of everything that was asked. */
  readonly requests: string[] = [];
  /** The fields of each body that made something, in order. */
  readonly forms: Form[] = [];
  /** Called when a request that makes something has arrived; false: it is never carried out, and never answered. */
  beforeWork: (request: string) => Promise<boolean> = async () => true;
  /** Called when a request has been carried out and is not answered yet: a test makes the answer come too late here. */
  beforeAnswer: (request: string) => Promise<void> = async () => {};
  readonly #kept = new Map<string, KeptAnswer>();

  /** The settings of a server that buys from this double. */
  get settings(): Record<string, string> {
    return {
      STRIPE_SECRET_KEY: this.secretKey,
      STRIPE_WEBHOOK_SECRET: doubleWebhookSecret,
      STRIPE_API_BASE: this.baseUrl,
    };
  }

  /** Delivers an event to a server's webhook, signed as Stripe signs. */
  deliver(event: StripeObject, serverUrl: string): Promise<Response> {
    const body = JSON.stringify(event, null, 2);
    return postDelivery(serverUrl, body, signDelivery(body));
  }

  /** As Stripe does after a day: whatever comes again under an idempotency key is new. */
  forgetKeys(): void {
    this.#kept.clear();
  }

  protected async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.isAway) {
      request.socket.destroy();
      return;
    }
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const body = Buffer.concat(pieces).toString('utf8');
    const { pathname, search } = new URL(request.url ?? '/', this.baseUrl);
    const name = `${request.method} ${pathname}`;
    this.requests.push(name);
    if (pathname.startsWith('/pay/'))
      this.#servePayPage(pathname.slice(5), { isPost: request.method === 'POST', body }, response);
    else if (request.headers.authorization !== `Bearer ${this.secretKey}`) send(response, 401, failure('bad key'));
    else if (request.method === 'GET') {
      const [status, answer] = this.#read(pathname, readForm(search.slice(1)));
      await this.beforeAnswer(name);
      send(response, status, answer);
    } else await this.#write(name, { body, key: String(request.headers['idempotency-key'] ?? '') }, response);
  }

  // As Stripe does it: the first answer of a key is every answer of that key.
  async #write(name: string, { body, key }: { body: string; key: string }, response: ServerResponse): Promise<void> {
    if (!(await this.beforeWork(name))) {
      response.destroy();
      return;
    }
    const fault = this.fault;
    this.fault = 'none';
    const [status, answer] = failureOf(fault) ?? this.#answerOnce(name, body, key);
    await this.beforeAnswer(name);
    if (fault === 'lose-answer') response.destroy();
    else send(response, status, answer);
  }

  #answerOnce(name: string, body: string, key: string): [number, object] {
    const kept = this.#kept.get(key);
    if (kept && kept.body !== body) return [400, failure('same key, other body', 'idempotency_error')];
    if (kept) return [kept.status, JSON.parse(kept.answer) as object];
    const [status, answer] = this.#make(name, readForm(body));
    if (key !== '') this.#kept.set(key, { body, status, answer: JSON.stringify(answer) });
    return [status, answer];
  }

  #make(name: string, form: Form): [number, object] {
    this.forms.push(form);
    const customer = textAt(form, 'customer');
    if (customer !== '' && !this.books.customers.some(({ id }) => id === customer)) return [400, missing('customer')];
    if (name === 'POST /v1/customers') return [200, this.books.createCustomer(form)];
    if (name === 'POST /v1/payment_intents') return this.#chargeCard(form);
    const [, canceledId] = /^POST \/v1\/payment_intents\/(\w+)\/cancel$/.exec(name) ?? [];
    if (canceledId !== undefined) return [200, this.books.cancelPayment(canceledId)];
    const [, detachedId] = /^POST \/v1\/payment_methods\/(\w+)\/detach$/.exec(name) ?? [];
    if (detachedId !== undefined) return this.#detachCard(detachedId);
    if (name === 'POST /v1/billing_portal/sessions') {
      const url = `${this.baseUrl}/portal/${textAt(form, 'customer')}`;
      return [200, { id: 'bps_1', object: 'billing_portal.session', url }];
    }
    const [, expiredId] = /^POST \/v1\/checkout\/sessions\/(\w+)\/expire$/.exec(name) ?? [];
    if (expiredId !== undefined) {
      this.books.expire(expiredId);
      return [200, this.books.getSession(expiredId)];
    }
    if (name === 'POST /v1/checkout/sessions') return [200, this.books.createSession(form, this.baseUrl)];
    if (name === 'POST /v1/refunds') return this.#refund(form);
    return [404, failure(`the double does not know ${name}`)];
  }

  // More than was paid is refused; of what was paid by a checkout only the session knows how much that was.
  #refund(form: Form): [number, object] {
    const paymentId = textAt(form, 'payment_intent');
    const { payments, refunds, sessions } = this.books;
    const session = sessions.find(({ payment_intent }) => payment_intent === paymentId);
    const paid = Number(session?.amount_total ?? payments.find(({ id }) => id === paymentId)?.amount ?? 0);
    const before = refunds.filter((refund) => refund.payment_intent === paymentId && refund.status !== 'failed');
    const amount = Number(textAt(form, 'amount'));
    if (before.reduce((sum, refund) => sum + Number(refund.amount), amount) > paid) {
      return [400, { error: { type: 'invalid_request_error', code: 'charge_already_refunded', message: 'refunded' } }];
    }
    return [200, this.books.createRefund(paymentId, amount, textsAt(form, 'metadata')).refund];
  }

  #chargeCard(form: Form): [number, object] {
    const isKept = this.books.cards.some(({ id }) => id === textAt(form, 'payment_method'));
    if (!isKept) return [400, missing('payment_method')];
    const { payment, isDeclined } = this.books.chargeCard(form);
    if (!isDeclined) return [200, payment];
    return [
      402,
      { error: { ...(payment.last_payment_error as object), message: 'declined', payment_intent: payment } },
    ];
  }

  #detachCard(cardId: string): [number, object] {
    const card = this.books.detachCard(cardId);
    return card === null ? [400, failure('The payment method is not attached to a customer.')] : [200, card];
  }

  #read(path: string, query: Form): [number, object] {
    const { books } = this;
    const gone = this.#findGone(path, query);
    if (gone !== null) return [this.missingStatus, missing(gone)];
    const [, paymentId] = /^\/v1\/payment_intents\/([^/]+)$/.exec(path) ?? [];
    if (paymentId !== undefined) {
      const payment = books.payments.find(({ id }) => id === paymentId);
      return payment ? [200, payment] : [404, failure('No such payment_intent')];
    }
    const [, sessionId] = /^\/v1\/checkout\/sessions\/([^/]+)$/.exec(path) ?? [];
    if (sessionId !== undefined) {
      const session = books.sessions.find(({ id }) => id === sessionId);
      if (!session) return [404, failure('No such checkout.session')];
      const payment = books.payments.find(({ id }) => id === session.payment_intent) ?? null;
      return [200, { ...session, payment_intent: payment }];
    }
    const event = books.events.find(({ id }) => path === `/v1/events/${id}`);
    if (event) return [200, event];
    const lists: Readonly<Record<string, readonly StripeObject[]>> = {
      '/v1/checkout/sessions': books.sessions,
      '/v1/payment_intents': books.payments,
      '/v1/payment_methods': books.cards,
      '/v1/refunds': books.refunds,
      '/v1/disputes': books.disputes,
      '/v1/events': books.events,
    };
    const all = lists[path];
    return all ? [200, toPage(all, path, query)] : [404, failure(`the double does not know ${path}`)];
  }

  /** What a list is asked for that this account of Stripe's does not have. */
  #findGone(path: string, query: Form): string | null {
    const { customers, payments, sessions } = this.books;
    const [customer, payment] = [textAt(query, 'customer'), textAt(query, 'payment_intent')];
    if (customer !== '' && !customers.some(({ id }) => id === customer)) return 'customer';
    if (path !== '/v1/refunds' || payment === '') return null;
    const isKnown = [...payments.map(({ id }) => id), ...sessions.map((one) => one.payment_intent)].includes(payment);
    return isKnown ? null : 'payment_intent';
  }

  // What a buyer sees: the ways to pay of Stripe's page, as buttons.
  #servePayPage(
    sessionId: string,
    { isPost, body }: { isPost: boolean; body: string },
    response: ServerResponse,
  ): void {
    const isSetup = this.books.getSession(sessionId).mode === 'setup';
    if (isPost) {
      if (isSetup) this.books.saveCard(sessionId);
      else if (body.includes('later')) this.books.payLater(sessionId);
      else this.books.pay(sessionId);
      response.writeHead(303, { location: String(this.books.getSession(sessionId).success_url) }).end();
      return;
    }
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    const buttons = isSetup
      ? '<button>Save card</button>'
      : '<button>Pay</button><button name="by" value="later">Pay by bank debit</button>';
    response.end(
      `<!doctype html><title>Stripe's double</title><link rel="icon" href="data:,"><form method="post">${buttons}</form>`,
    );
  }
}

// Newest first, a page at a time, as all of Stripe's lists.
function toPage(all: readonly StripeObject[], path: string, query: Form) {
  const payment = textAt(query, 'payment_intent');
  const customer = textAt(query, 'customer');
  const type = textAt(query, 'type');
  const types = type === '' ? Object.values(textsAt(query, 'types')) : [type];
  const since = Number(textAt(query, 'created.gte') || 0);
  const found = all
    .filter((object) => payment === '' || object.payment_intent === payment)
    .filter((object) => customer === '' || object.customer === customer)
    .filter((object) => types.length === 0 || types.includes(String(object.type)))
    .filter((object) => since === 0 || Number(object.created) >= since)
    .toReversed();
  const after = found.findIndex(({ id }) => id === textAt(query, 'starting_after')) + 1;
  const limit = Number(textAt(query, 'limit') || 10);
  const data = found.slice(after, after + limit);
  return { object: 'list', url: path, data, has_more: found.length > after + limit };
}

function failureOf(fault: StripeFault): [number, object] | null {
  if (fault === 'fail') return [500, failure('the double fails as it was told to')];
  if (fault !== 'refuse') return null;
  const message = `Not a valid URL: http://buyer.example/return, sent with ${doubleSecretKey} by ada@example.com.`;
  return [400, { error: { type: 'invalid_request_error', code: 'url_invalid', param: 'success_url', message } }];
}

function failure(message: string, type = 'invalid_request_error'): object {
  return { error: { type, message } };
}

function missing(param: string): object {
  return { error: { type: 'invalid_request_error', code: 'resource_missing', param, message: `No such ${param}` } };
}

function send(response: ServerResponse, status: number, answer: object): void {
  response.writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_double' });
  response.end(JSON.stringify(answer));
}

const signer = new Stripe(doubleSecretKey, { telemetry: false });

/** The signature header of a delivery; `timestamp` in seconds, now unless told. */
export function signDelivery(body: string, { secret = doubleWebhookSecret, timestamp = 0 } = {}): string {
  return signer.webhooks.generateTestHeaderString({
    payload: body,
    secret,
    ...(timestamp > 0 ? { timestamp } : {}),
  });
}

/** Posts to a server's webhook whatever a test wants. */
export function postDelivery(serverUrl: string, body: string, signature: string | null): Promise<Response> {
  return fetch(`${serverUrl}/webhooks/stripe`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json; charset=utf-8',
      ...(signature === null ? {} : { 'stripe-signature': signature }),
    },
    body,
  });
}
