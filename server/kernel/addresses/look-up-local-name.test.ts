import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTestFolder } from '../../test/test-folder.js';
import { lookUpBeside } from './look-up-local-name.js';

describe('the look-up of a name beside the hosts file', () => {
  const folder = makeTestFolder('hosts');
  const file = join(folder, 'hosts');
  const lookUp = (name: string) => lookUpBeside(file, name, async () => ['192.0.2.1']);
  beforeAll(() => {
    const lines = ['# 10.0.0.9 host', '127.0.0.1 localhost', '10.0.0.1\tgateway Host # of this container', '::5 host'];
    writeFileSync(file, `${lines.join('\r\n')}\r\nno-address host\r\n`);
  });

  it.each([
    ['all that the file has', 'HOST', ['10.0.0.1', '::5']],
    ['this machine alone for its own name', 'localhost', ['127.0.0.1']],
    ['this machine for a name below its own', 'hooks.localhost', ['127.0.0.1', '::1']],
    ['what name servers say of every other name', 'hooks.example', ['192.0.2.1']],
  ])('answers %s', async (_what, name, found) => expect(await lookUp(name)).toEqual(found));

  it('asks name servers where there is no such file', async () => {
    expect(await lookUpBeside(join(folder, 'none'), 'host', async () => ['192.0.2.1'])).toEqual(['192.0.2.1']);
  });
});
