/** @jest-environment jsdom */
import { makePasskey, passkeyFault, signWithPasskey } from './passkeys';

const registration =
  '{"challenge":"AAAA","rp":{"name":"T","id":"gate.example"},"user":{"id":"AAAA"},"pubKeyCredParams":[]}';
const authentication = '{"challenge":"AAAA","rpId":"gate.example"}';

/** As a browser refuses. */
function letBrowserThrow(error: unknown): void {
  const refuse = () => Promise.reject(error);
  Object.assign(window, { PublicKeyCredential: class {} });
  Object.defineProperty(navigator, 'credentials', { configurable: true, value: { create: refuse, get: refuse } });
}

const ways = [
  ['makes none', () => makePasskey(registration)],
  ['signs with none', () => signWithPasskey(authentication)],
] as const;

describe('A browser that is asked for a passkey', () => {
  it.each(
    ways.flatMap(([way, use]) => [
      [way, use, 'SecurityError', /^Passkeys work at gate\.example only/] as const,
      [way, use, 'NotAllowedError', /^No passkey was used/] as const,
      [way, use, 'NotSupportedError', /^This browser could not use a passkey/] as const,
      [way, use, 'UnknownError', /^This browser could not use a passkey/] as const,
    ]),
  )('and %s is told by its own fault, and not as a server that cannot be reached', async (_, use, name, words) => {
    letBrowserThrow(new DOMException('no', name));
    const fault = await use().catch((error: unknown) => error);
    expect(passkeyFault(fault)).toMatch(words);
  });

  it('is not blamed where the server cannot be reached', () => {
    expect(passkeyFault(new TypeError('Failed to fetch'))).toMatch(/^Tollgate cannot be reached/);
  });
});
