import { explainStartFailure } from '../composition/explain-start-failure.js';
import { loadConfig } from '../config/config.js';
import { createDataSource, openDataSource } from '../database/data-source.js';
import { entities, migrations } from '../entities.js';
import { databaseUrlOf, describeOnMysql } from '../test/each-database.js';
import { FakeMysqlServer } from '../test/fake-mysql-server.js';
import { TcpProxy } from '../test/tcp-proxy.js';
import { makeTestFolder } from '../test/test-folder.js';
import { openOperatorServices, type WithServices } from './open-operator-services.js';

const waits = { silenceMs: 400, connectionMs: 800 };
const servicesOn = (url: string) =>
  openOperatorServices(() => loadConfig({ DATABASE_URL: url, SPOOL_DIR: makeTestFolder('spool') }), waits);
const explainRun = (withServices: WithServices, work: Parameters<WithServices>[0]) =>
  withServices(work).then(() => 'done', explainStartFailure);
const answersNot =
  /^DATABASE_URL: .*said nothing for 400 ms\. It accepts connections and does not answer: .*SHOW FULL PROCESSLIST/;

describe('a command on a database that lets it in and answers nothing', () => {
  it('ends by one line with the remedy', async () => {
    const server = await FakeMysqlServer.start();
    server.isSilent = () => true;
    const withServices = servicesOn(`mysql://root@127.0.0.1:${server.port}/tollgate`);
    expect(await explainRun(withServices, async () => {})).toMatch(answersNot);
    await server.close();
  });
});

describeOnMysql('a command whose database falls silent', (openTestDatabase) => {
  it('ends by one line with the remedy, also where it could not take leave', async () => {
    const { address } = await openTestDatabase();
    await openDataSource(createDataSource(address, { entities, migrations })).then((source) => source.destroy());
    const url = new URL(databaseUrlOf(address));
    const network = await TcpProxy.start({ host: url.hostname, port: Number(url.port) });
    url.port = String(network.port);
    const withServices = servicesOn(url.href);
    const said = await explainRun(withServices, async ({ findAccount }) => {
      network.setFault('blackhole');
      await findAccount('acct_none');
    });
    expect(said).toMatch(answersNot);
    await network.close();
  }, 60_000);
});
