import { join } from 'node:path';
import { ProviderKeyEntity } from '../catalogue/provider-key.entity.js';
import { createDataSource } from '../database/data-source.js';
import { entities, migrations } from '../entities.js';
import { assertSecretsKeyThere, hasSealedSecrets } from '../factors/sealed-secrets.js';
import { SecretBox } from '../factors/secret-box.js';
import { Secret } from '../kernel/secret.js';
import { TestApp } from '../test/create-test-app.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { giveSchema } from '../test/schema-template.js';
import { makeTestFolder } from '../test/test-folder.js';
import { explainStartFailure } from './explain-start-failure.js';

const secretsKey = new Secret('k'.repeat(40));
const words =
  /^SECRETS_KEY: The database holds secrets that are sealed, and there is no key to open them\. Set SECRETS_KEY/;

describeOnEachDatabase('A database with sealed secrets', (openTestDatabase) => {
  it('is not served without a key to open them: the start fails with one line, and makes no other key', async () => {
    const database = await openTestDatabase();
    await giveSchema(database);
    // A copy elsewhere, without the file beside it.
    const { address } = database;
    const settings = { secretsKey: null, database: address };
    const source = await createDataSource(address, { entities, migrations }).initialize();
    expect(await hasSealedSecrets(source)).toBe(false);
    await assertSecretsKeyThere(source, settings);

    const row = { id: 'pkey_1', providerId: 'openai', masked: 'abcd', weight: 1, createdAtMs: 1 };
    const sealedSecret = await new SecretBox({ secretsKey, database: address }).seal('sk-abcd', 'a purpose');
    await source.manager.insert(ProviderKeyEntity, { ...row, sealedSecret });
    expect(await hasSealedSecrets(source)).toBe(true);
    await assertSecretsKeyThere(source, { ...settings, secretsKey });
    const failure = await assertSecretsKeyThere(source, settings).catch(explainStartFailure);
    expect(failure).toMatch(words);
    expect(failure).not.toContain('\n');
    await expect(TestApp.startBeside(database)).rejects.toThrow(words);
    await source.destroy();
  }, 60_000);

  it('is served where the key lies beside the file', async () => {
    const file = join(makeTestFolder('secrets-key'), 'tollgate.db');
    const database = { kind: 'sqlite', file } as const;
    const sealed = await new SecretBox({ secretsKey: null, database }).seal('sk-abcd', 'a purpose');
    const source = createDataSource((await openTestDatabase()).address, { entities, migrations });
    expect(sealed).not.toBe('');
    // Not even asked: the source is not connected.
    await assertSecretsKeyThere(source, { secretsKey: null, database });
  });
});
