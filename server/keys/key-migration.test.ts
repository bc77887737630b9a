import type { DataSource } from 'typeorm';
import { createDataSource, openDataSource } from '../database/data-source.js';
import { UnitOfWork } from '../database/unit-of-work.js';
import { entities, migrations } from '../entities.js';
import { FakeClock } from '../kernel/clock.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { keyRules } from '../test/key-rules.js';
import { ApiKeyService } from './api-key-service.js';
import { OneProcessKeyChanges } from './changes/key-changes.js';

const keyId = 'key_01KAG00000000000000000000A';

async function goBackBeforePermissions(source: DataSource): Promise<void> {
  const hasScopes = async () => {
    const runner = source.createQueryRunner();
    const table = await runner.getTable('api_key');
    // Each holds a connection of the pool.
    await runner.release();
    return table?.findColumnByName('scopes') !== undefined;
  };
  while (await hasScopes()) await source.undoLastMigration();
}

describeOnEachDatabase('Keys from before there were permissions', (openTestDatabase) => {
  it('keep what they could do: calling and reading, without limits', async () => {
    const { address } = await openTestDatabase();
    const source = await openDataSource(createDataSource(address, { entities, migrations }));
    await goBackBeforePermissions(source);
    await source.query(
      "INSERT INTO account (id, email, email_normalised, name, password_hash, key_revision, created_at_ms) VALUES ('acct_1', 'a', 'a', 'a', 'x', 0, 0)",
    );
    await source.query(
      `INSERT INTO api_key (id, account_id, name, secret_hash, masked_secret, created_at_ms) VALUES ('${keyId}', 'acct_1', 'k', 'h', 'm', 0)`,
    );
    await source.runMigrations({ transaction: 'each' });
    const clock = new FakeClock();
    const key = await new ApiKeyService(
      new UnitOfWork(source),
      clock,
      keyRules(1),
      new OneProcessKeyChanges(clock),
    ).findKey('acct_1', keyId);
    expect(key).toMatchObject({
      ...{ name: 'k', scopes: ['chat', 'usage:read'], models: null, providers: null, addresses: null },
      ...{ spendLimitMillicredits: null, requestsPerMinute: null, expiresAtMs: null, graceEndsAtMs: null },
    });
    await source.destroy();
  });
});
