import dns from 'node:dns';
import { createConnection } from 'mysql2/promise';
import { createBoundedFetch, providerBounds } from '../accounts/identities/bounded-fetch.js';
import { readMysqlUrl } from '../database/database-address.js';
import { Secret } from '../kernel/secret.js';
import { createMailer } from '../notices/mailer.js';
import { UpstreamClient } from '../providers/call-upstream.js';
import { createOpenAiCompatibleAdapter } from '../providers/openai-compatible/openai-compatible-adapter.js';
import { commonDialect } from '../providers/openai-compatible/openai-dialect.js';
import { createStripeClient } from '../purchases/stripe/load-stripe.js';
import { connectRedis } from '../redis/connect-redis.js';
import { eventually } from './eventually.js';
import { pullEvents } from './pull-events.js';

/** Ways out of a server to a name; each begins to connect, and gives what ends it. */
const clients: Readonly<Record<string, (name: string) => () => void>> = {
  'a provider': (name) => {
    const timeouts = { connectMs: 1_000, firstByteMs: 1_000, idleMs: 1_000, totalMs: 1_000 };
    const client = new UpstreamClient({ timeouts });
    const target = { kind: 'http', providerId: 'p', upstreamModel: 'm', baseUrl: `http://${name}/v1`, apiKey: null };
    const request = { model: 'm', messages: [{ role: 'user', content: 'Hello' }] };
    const adapter = createOpenAiCompatibleAdapter(commonDialect);
    const call = pullEvents(client, { target: { ...target, adapter }, request, signal: null } as never);
    call.next().catch(() => {});
    return () => void client.close();
  },
  'the database': (name) => {
    const opening = createConnection(readMysqlUrl(new Secret(`mysql://a:b@${name}/c`)));
    opening.catch(() => {});
    return () => {};
  },
  Redis: (name) => openRedis(`redis://${name}`),
  'Redis with TLS': (name) => openRedis(`rediss://${name}`),
  'a Redis Cluster': (name) => openRedis(`redis+cluster://${name}`),
  'a Redis Cluster with TLS': (name) => openRedis(`rediss+cluster://${name}`),
  'a Sentinel': (name) => openRedis(`redis+sentinel://${name}/master`),
  'the mail server': (name) => {
    const mailer = createMailer({ smtpUrl: new Secret(`smtp://${name}`), from: 'a@b.test' }, 'http://b.test');
    mailer.verify().catch(() => {});
    return () => mailer.close();
  },
  'a provider of sign-ins': (name) => {
    createBoundedFetch(providerBounds)(`https://${name}/`, { headers: {}, method: 'GET' }).catch(() => {});
    return () => {};
  },
  Stripe: (name) => {
    const settings = { secretKey: new Secret('sk_test_1'), apiBase: `https://${name}` };
    createStripeClient(settings as never, { retriesMax: 0 })
      .customers.list()
      .catch(() => {});
    return () => {};
  },
};

function openRedis(url: string): () => void {
  // It waits no longer for the end of a connection.
  const redis = connectRedis(new Secret(url), 20);
  redis.on('error', () => {});
  return () => redis.disconnect();
}

describe('the name of', () => {
  const former = dns.lookup;
  const asked = new Set<string>();

  beforeAll(() => {
    const lookup = (name: string, ...rest: readonly unknown[]) => {
      asked.add(name);
      const told = rest.at(-1) as (error: Error) => void;
      setImmediate(told, Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND' }));
    };
    // As the server does it: after all clients were loaded.
    Object.assign(dns, { lookup });
  });
  afterAll(() => {
    Object.assign(dns, { lookup: former });
  });

  it.each(Object.entries(clients))(
    '%s is looked up by the one dns.lookup that a server replaces',
    async (who, open) => {
      const name = `${who.toLowerCase().replaceAll(' ', '-')}.test`;
      const close = open(name);
      try {
        await eventually(() => asked.has(name));
      } finally {
        close();
      }
    },
  );
});
