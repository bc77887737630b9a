import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import { mock } from 'node:test';
import tls, { type ConnectionOptions, type SecureVersion } from 'node:tls';
import { generousTimeouts, readAll, targetAt } from '../test/fake-upstream-caller.js';
import { listenLocally, portOf } from '../test/local-server.js';
import { pullEvents } from '../test/pull-events.js';
import { TestAuthority } from '../test/test-authority.js';
import { UpstreamClient } from './call-upstream.js';
import { RefusedHandshakeError, RouteFaultError } from './upstream-error.js';

describe('A provider that asks for a certificate of ours', () => {
  const authority = new TestAuthority();
  const { cert, key } = authority.issue('provider', 'IP:127.0.0.1');
  const [ca, files] = [readFileSync(authority.ca), { cert: readFileSync(cert), key: readFileSync(key) }];
  const client = new UpstreamClient({ timeouts: generousTimeouts });
  let asked = 0;
  let server: Server;

  beforeAll(() => {
    const connect = tls.connect as (options: ConnectionOptions) => tls.TLSSocket;
    mock.method(tls, 'connect', (options: ConnectionOptions) => connect({ ...options, ca }));
  });
  afterAll(async () => {
    mock.restoreAll();
    await client.close();
    authority.remove();
  });
  afterEach(() => server.close());

  const listen = async (options: { maxVersion?: SecureVersion; requestCert: boolean }) => {
    server = createServer({ ...files, ca, rejectUnauthorized: true, ...options }, (request, response) => {
      asked += 1;
      request.resume();
      response.destroy();
    });
    await listenLocally(server);
  };
  const call = async () => {
    let wasSent = false;
    const request = { model: 'public-name', messages: [{ role: 'user' as const, content: 'Hi' }] };
    const target = targetAt(`https://127.0.0.1:${portOf(server)}`);
    const onSent = () => {
      wasSent = true;
    };
    return {
      ...(await readAll(pullEvents(client, { target, request, signal: null, onSent }))),
      wasSent: () => wasSent,
    };
  };

  it.each<SecureVersion>(['TLSv1.2', 'TLSv1.3'])(
    'has read nothing of the request, which may go elsewhere: by %s',
    async (maxVersion) => {
      await listen({ maxVersion, requestCert: true });
      const { events, error, wasSent } = await call();
      expect(events).toEqual([]);
      expect(asked).toBe(0);
      expect(error).toMatchObject({ code: 'provider_error', metadata: { provider: 'openai' } });
      expect(error).toBeInstanceOf(RouteFaultError);
      // By TLS 1.2 the request never goes out.
      expect([wasSent(), error instanceof RefusedHandshakeError]).toEqual(
        maxVersion === 'TLSv1.3' ? [true, true] : [false, false],
      );
      expect(error?.message).not.toMatch(/certificate|127\.0\.0\.1/);
    },
  );

  it('is told from one that has read the request and closes its connection', async () => {
    await listen({ requestCert: false });
    const { error } = await call();
    expect(asked).toBe(1);
    expect(error).toMatchObject({ code: 'provider_error' });
    expect(error).not.toBeInstanceOf(RouteFaultError);
  });
});
