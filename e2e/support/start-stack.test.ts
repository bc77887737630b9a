import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { makeTestFolder } from '../../server/test/test-folder.js';
import { startStack } from './start-stack.js';

describe('a server for a test', () => {
  const folder = makeTestFolder('start-stack');

  it('starts on its port although somebody holds that for a moment', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port } = holder.address() as AddressInfo;
    const place = { PORT: String(port), PUBLIC_URL: `http://127.0.0.1:${port}` };
    const file = join(folder, 'tollgate.db');
    const starting = startStack({ kind: 'sqlite', file }, place);
    const isRefused = startStack(
      { kind: 'sqlite', file: join(folder, 'other.db') },
      { ...place, SPOOL_DIR: '/proc/x' },
    );
    // Whoever is refused for a reason of its own is not tried again.
    await expect(isRefused).rejects.toThrow(/SPOOL_DIR/);
    holder.close();
    const stack = await starting;
    await stack.stop();
  });
});
