import { createConnection } from 'mysql2/promise';
import { Secret } from '../../kernel/secret.js';
import {
  adminUrlOf,
  describeOnMysql,
  describeOnOwnMysql,
  hasCertificate,
  type TestDatabase,
} from '../../test/each-database.js';
import { giveSchema } from '../../test/schema-template.js';
import { createDataSource } from '../data-source.js';
import type { DatabaseAddress } from '../database-address.js';
import { describeMysqlServer, writeToMysql } from './mysql-standing.js';

const noTables = { entities: [], migrations: [] };

function withParameters({ address }: TestDatabase, parameters: string): DatabaseAddress {
  if (address.kind !== 'mysql') throw new Error('This is for MySQL.');
  return { kind: 'mysql', url: new Secret(`${address.url.reveal()}?${parameters}`) };
}

async function describeBy(address: DatabaseAddress) {
  const source = await createDataSource(address, noTables).initialize();
  try {
    return await describeMysqlServer(source);
  } finally {
    await source.destroy();
  }
}

describeOnMysql('the MySQL server that is connected', (openTestDatabase) => {
  it('serves when it can be written to', async () => {
    const database = await openTestDatabase();
    await giveSchema(database);
    const source = await createDataSource(database.address, noTables).initialize();
    await expect(writeToMysql(source)).resolves.toBeUndefined();
    await source.destroy();
  });

  it('is told with its version, and is not encrypted where nobody asks for it', async () => {
    const { address } = await openTestDatabase();
    expect(await describeBy(address)).toEqual({ server: expect.stringMatching(/^\d+\.\d+/), tls: null });
  });

  it('is encrypted where that is required, or says that it has no certificate', async () => {
    const address = withParameters(await openTestDatabase(), 'ssl-mode=REQUIRED');
    const answer = await describeBy(address).then(
      (described) => described?.tls,
      (error: { code?: string }) => error.code,
    );
    expect(answer).toMatch((await hasCertificate()) ? /^TLS_/ : /^HANDSHAKE_NO_SSL_SUPPORT$/);
  });

  it('is refused where its certificate comes from nobody that is known', async () => {
    const address = withParameters(await openTestDatabase(), 'ssl-mode=VERIFY_CA');
    const code = (await hasCertificate()) ? 'HANDSHAKE_SSL_ERROR' : 'HANDSHAKE_NO_SSL_SUPPORT';
    await expect(describeBy(address)).rejects.toMatchObject({ code });
  });
});

describeOnOwnMysql('a MySQL server that becomes read-only', (openTestDatabase) => {
  // MariaDB has no second kind.
  const kinds = process.env.TEST_MYSQL_PRODUCT === 'MySQL' ? ['read_only', 'super_read_only'] : ['read_only'];
  it.each(kinds)(
    '%s: still answers questions, does not serve, and serves again when it can be written to',
    async (kind) => {
      const database = await openTestDatabase();
      await giveSchema(database);
      const source = await createDataSource(database.address, noTables).initialize();
      const admin = await createConnection(adminUrlOf(database).href);
      await admin.query(`SET GLOBAL ${kind} = 1`);
      await expect(source.query('SELECT 1')).resolves.toHaveLength(1);
      await expect(writeToMysql(source)).rejects.toMatchObject({ errno: 1290 });
      await admin.query('SET GLOBAL read_only = 0');
      await expect(writeToMysql(source)).resolves.toBeUndefined();
      await admin.end();
      await source.destroy();
    },
  );
});
