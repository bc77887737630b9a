import { systemClock } from '../../kernel/clock.js';
import { silentLogger } from '../../kernel/logger.js';
import { Secret } from '../../kernel/secret.js';
import { StripeApi } from './stripe-api.js';
import type { StripeCustomers } from './stripe-customers.js';

describe('Questions to Stripe', () => {
  it('are 64 at once; where it is silent, one more is refused unasked, and asked again once one has its answer', async () => {
    const api = new StripeApi({
      clock: systemClock,
      settings: {
        secretKey: new Secret('sk_test_0123456789abcdef'),
        webhookSecrets: [],
        apiBase: 'http://127.0.0.1:1',
      },
      customers: {} as StripeCustomers,
      getInstallationId: async () => 'here',
      logger: silentLogger,
    });
    let asked = 0;
    const ends: (() => void)[] = [];
    const question = () => {
      asked += 1;
      return new Promise<void>((resolve) => ends.push(resolve));
    };
    const running = Array.from({ length: 64 }, () => api.ask(question));
    expect(asked).toBe(64);
    const busy = { code: 'service_unavailable', retryAfterMs: 5_000 };
    await expect(api.ask(question)).rejects.toMatchObject(busy);
    await expect(api.find(question)).rejects.toMatchObject(busy);
    expect(asked).toBe(64);
    ends[0]?.();
    await running[0];
    const next = api.ask(question);
    expect(asked).toBe(65);
    for (const end of ends) end();
    await Promise.all([...running, next]);
  });
});
