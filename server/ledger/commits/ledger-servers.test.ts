import { MysqlServers } from '../../database/mysql-servers.js';
import { Secret } from '../../kernel/secret.js';
import { FakeMysql, type FaultPlace } from '../../test/fake-mysql.js';
import { endingWith } from '../../test/ledger-fixture.js';
import type { LedgerOperation } from '../tables/ledger-rows.js';
import { MysqlLedgerStore } from './mysql-ledger-store.js';

const times = { leaseMs: 60_000, graceMs: 30_000 };
const settlement: LedgerOperation = {
  kind: 'settle',
  input: { callId: 'call_1', accountId: 'acct_1', ending: endingWith(10, 5) },
};
const refusal = (errno: number) => Object.assign(new Error('refused'), { errno, sqlState: 'HY000' });

describe('The ledger and the servers of its address', () => {
  // Each test has an address of its own, since all of a process share the choice.
  const open = (name: string, place: FaultPlace, errno: number) => {
    const url = new Secret(`mysql://u:p@${name}-1:1,${name}-2:2/tollgate`);
    const server = new FakeMysql();
    server.plan = (at) => (at === place ? refusal(errno) : undefined);
    return {
      server,
      servers: MysqlServers.of(url),
      store: new MysqlLedgerStore(url, times, { connect: server.connect }),
    };
  };

  it.each([
    ['a primary that became read-only', 'readonly', 'write', 1290],
    ['a member without its group', 'groupless', 'write', 3100],
    ['a server that is offline', 'offline', 'read', 3032],
    ['ProxySQL without a server behind it', 'proxysql', 'read', 9001],
    ['MySQL Router that cannot reach the primary', 'router', 'read', 2003],
    ['MySQL Router that refuses the connection', 'refusing', 'connect', 2003],
  ] as const)('leaves %s for the next one, by a new connection', async (_, name, place, errno) => {
    const { server, servers, store } = open(name, place, errno);
    await expect(store.commitBatch([settlement])).rejects.toMatchObject({ cause: { errno } });
    expect(servers.current).toEqual({ host: `${name}-2`, port: 2 });
    expect(server.openConnections).toBe(0);
  });

  it('stays where a row is locked or a deadlock was lost, on the same connection', async () => {
    const { server, servers, store } = open('locked', 'read', 1213);
    await expect(store.commitBatch([settlement])).rejects.toMatchObject({ cause: { errno: 1213 } });
    expect(servers.current).toEqual({ host: 'locked-1', port: 1 });
    expect(server.openConnections).toBe(1);
    await store.close();
  });
});
