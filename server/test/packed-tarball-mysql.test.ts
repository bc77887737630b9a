import { readFileSync } from 'node:fs';
import { createConnection } from 'mysql2/promise';
import { describeOnMysql } from './each-database.js';
import { OwnDatabaseServer } from './own-database-server.js';
import { buyAnswer, PackedPackage } from './packed-package.js';
import { findBaseUrl } from './running-program.js';
import { TestAuthority } from './test-authority.js';

describeOnMysql('The packed tarball on a server that takes TLS alone', () => {
  let authority: TestAuthority;
  let database: OwnDatabaseServer;
  let packed: PackedPackage;
  beforeAll(async () => {
    packed = new PackedPackage();
    authority = new TestAuthority();
    const { cert, key } = authority.issue('localhost', 'DNS:localhost');
    const tls = [`--ssl-ca=${authority.ca}`, `--ssl-cert=${cert}`, `--ssl-key=${key}`];
    database = await OwnDatabaseServer.start([...tls, '--require-secure-transport=ON']);
    const ssl = { ca: readFileSync(authority.ca, 'utf8') };
    const admin = await createConnection({ uri: byName(database.address.adminUrl), ssl });
    await admin.query('CREATE DATABASE tollgate_packed');
    await admin.end();
  }, 120_000);
  afterAll(async () => {
    packed.remove();
    await database.stop();
    authority.remove();
  }, 60_000);

  it('says which parameter is missing, and with it bills a call to the millicredit in production', async () => {
    const plainUrl = `${byName(database.address.url)}/tollgate_packed`;
    const production = { NODE_ENV: 'production', HOST: '127.0.0.1', PORT: '0', DEMO_PROVIDER: 'on' };
    const refused = await packed.runToEnd(['start'], { ...production, DATABASE_URL: plainUrl });
    expect([refused.exitCode, refused.log]).toEqual([1, expect.stringContaining('ssl-mode=VERIFY_IDENTITY')]);

    const url = `${plainUrl}?ssl-mode=VERIFY_IDENTITY&ssl-ca=${authority.ca}`;
    const settings = { ...production, DATABASE_URL: url };
    const server = packed.run(['start'], settings);
    const baseUrl = await findBaseUrl(server);
    expect(server.output()).toMatch(/"tls":"TLS[^"]+","event":"database_connected"/);
    const gift = await packed.runToEnd(['gift-code', 'create', '--credits', '50'], settings);
    const { tokens = 0, ...money } = await buyAnswer(baseUrl, String(gift.output.split(' ')[0]));
    expect(tokens).toBeGreaterThan(0);
    // The demo model is of the lower tier: a millicredit for each token.
    expect(money).toEqual({ status: 200, before: 50_000, charged: tokens, after: 50_000 - tokens });
    expect(await packed.runToEnd(['verify'], settings)).toMatchObject({ exitCode: 0 });
    server.child.kill('SIGTERM');
    expect(await server.ended).toBe(0);
  }, 120_000);
});

/** The server's address by the name that its certificate has. */
function byName(url: string): string {
  return url.replace('127.0.0.1', 'localhost');
}
