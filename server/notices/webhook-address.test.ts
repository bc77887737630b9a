import type { LookupAddress, LookupOptions } from 'node:dns';
import { isPublicAddress } from '../kernel/addresses/public-address.js';
import { assertWebhookUrl, createLookup } from './webhook-address.js';

describe('assertWebhookUrl', () => {
  it('takes https on the public internet, and in development plain http on this machine as well', () => {
    expect(() => assertWebhookUrl('url', 'https://example.com/x?y=1', false)).not.toThrow();
    expect(() => assertWebhookUrl('url', 'http://127.0.0.1:3000/', true)).not.toThrow();
  });

  it.each(['http://example.com/', 'file:///etc/passwd', 'https://0x7f.1/', 'https://[::1]/'])('refuses %s', (url) => {
    expect(() => assertWebhookUrl('url', url, false)).toThrow(/address/);
  });
});

describe('the look-up of a webhook’s name', () => {
  const lookUp = (found: readonly string[] | Error, options: LookupOptions = { all: true }) =>
    new Promise<unknown>((resolve) => {
      const find = async () => {
        if (found instanceof Error) throw found;
        return found;
      };
      createLookup(find, isPublicAddress)(
        'hooks.example.com',
        options,
        (error, address: string | LookupAddress[], family) =>
          resolve(error ? (error.code ?? error.message) : options.all ? address : [address, family]),
      );
    });

  it('answers public addresses alone, of the family that is wanted', async () => {
    const found = ['10.0.0.1', '93.184.215.14', '::1', '2606:2800:21f::1'];
    const open = [
      { address: '93.184.215.14', family: 4 },
      { address: '2606:2800:21f::1', family: 6 },
    ];
    expect(await lookUp(found)).toEqual(open);
    expect(await lookUp(found, { all: true, family: 6 })).toEqual([open[1]]);
    expect(await lookUp(found, {})).toEqual(['93.184.215.14', 4]);
  });

  it('tells a name inside our network, one without an address, and one that cannot be asked about', async () => {
    expect(await lookUp(['192.168.1.1', 'fd00::1'])).toBe('ENOTPUBLIC');
    expect(await lookUp([])).toBe('ENOTFOUND');
    expect(await lookUp(Object.assign(new Error('no answer'), { code: 'ECANCELLED' }))).toBe('ECANCELLED');
  });
});
