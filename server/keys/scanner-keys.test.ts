import { generateKeyPairSync, sign } from 'node:crypto';
import { createServer } from 'node:http';
import { FakeClock } from '../kernel/clock.js';
import { silentLogger } from '../kernel/logger.js';
import { closeServer, listenLocally, portOf } from '../test/local-server.js';
import { ScannerKeys } from './scanner-keys.js';

const bytes = Buffer.from('[]');

function makeSigner(keyName: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const signed = { keyName, signature: sign('sha256', bytes, privateKey).toString('base64') };
  return { signed, listed: { key_identifier: keyName, key: publicKey.export({ type: 'spki', format: 'pem' }) } };
}

describe('The keys of the scanner', () => {
  it.each([30, -30])(
    'are asked for anew a minute later, also when the clock is set by %d days meanwhile',
    async (days) => {
      const [old, next] = [makeSigner('old'), makeSigner('next')];
      let listed = [old.listed];
      const server = createServer((_request, response) => void response.end(JSON.stringify({ public_keys: listed })));
      await listenLocally(server);
      const clock = new FakeClock();
      const keys = new ScannerKeys(`http://127.0.0.1:${portOf(server)}/keys`, clock, silentLogger);
      expect(await keys.isSigned(bytes, old.signed)).toBe(true);
      listed = [next.listed];
      clock.setWallMs(clock.nowMs() + days * 24 * 3_600_000);
      expect(await keys.isSigned(bytes, next.signed)).toBe(false);
      clock.advanceMs(60_000);
      expect(await keys.isSigned(bytes, next.signed)).toBe(true);
      expect(await keys.isSigned(bytes, old.signed)).toBe(false);
      await closeServer(server);
    },
  );
});
