import { ask } from './look-up-name.js';

const failing = (code: string) => () => Promise.reject(Object.assign(new Error(code), { code }));

describe('The look-up of a name', () => {
  it.each([
    ['of both kinds', async () => ['192.0.2.1', '192.0.2.2'], async () => ['2001:db8::1'], 3],
    ['of IPv4 alone', async () => ['192.0.2.1'], failing('ENODATA'), 1],
    ['of IPv6 alone', failing('ENODATA'), async () => ['2001:db8::1'], 1],
    ['of nobody', failing('ENOTFOUND'), failing('ENOTFOUND'), 0],
  ])('finds all addresses %s', async (_what, resolve4, resolve6, count) => {
    const found = await ask({ resolve4, resolve6, cancel: () => {} } as never, 'a.example');
    expect(found).toHaveLength(count);
  });

  it.each(['ESERVFAIL', 'ETIMEOUT', 'EREFUSED', 'ECONNREFUSED'])(
    'finds nothing where one of the two questions ends by %s',
    async (code) => {
      const resolver = { resolve4: async () => ['192.0.2.1'], resolve6: failing(code), cancel: () => {} };
      await expect(ask(resolver as never, 'a.example')).rejects.toThrow(code);
    },
  );

  it('is given up by a name server that says nothing', async () => {
    let giveUp = (_error: Error) => {};
    const silence = new Promise<string[]>((_resolve, reject) => {
      giveUp = reject;
    });
    const cancel = () => giveUp(new Error('ECANCELLED'));
    await expect(
      ask({ resolve4: () => silence, resolve6: () => silence, cancel } as never, 'a.example', 1),
    ).rejects.toThrow('ECANCELLED');
  });
});
