import { setTimeout as sleep } from 'node:timers/promises';
import { readMysqlUrl } from '../../server/database/database-address.js';
import { Secret } from '../../server/kernel/secret.js';
import { describeOnMysql } from '../../server/test/each-database.js';
import { TcpProxy } from '../../server/test/tcp-proxy.js';
import { startStack } from '../support/start-stack.js';

describeOnMysql('a server that is told to stop while its database says nothing', (openTestDatabase) => {
  // Its jobs of each second are at work in one moment or another of what closes.
  it.each([0, 2_500])(
    'ends with 0, %i ms after the network went silent',
    async (silentMs) => {
      const { address } = await openTestDatabase();
      if (address.kind !== 'mysql') throw new Error('SQLite has no network to break.');
      const { host, port, user, password, database } = readMysqlUrl(address.url);
      const network = await TcpProxy.start({ host, port });
      try {
        const url = new Secret(`mysql://${user}:${password}@127.0.0.1:${network.port}/${database}`);
        const stack = await startStack({ kind: 'mysql', url }, { HOLD_SWEEP_SECONDS: '1' });
        network.setFault('blackhole');
        await sleep(silentMs);
        await stack.stop();
      } finally {
        await network.close();
      }
    },
    120_000,
  );
});
