import { SecretBox } from '../../factors/secret-box.js';
import { createId } from '../../kernel/ids.js';
import { Secret } from '../../kernel/secret.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { LedgerFixture } from '../../test/ledger-fixture.js';
import { OperatorEntity } from './operator.entity.js';
import { operatorSecretPurpose } from './operator-sign-in.js';
import { resealOperatorSecrets } from './reseal-operators.js';

const database = { kind: 'mysql', url: new Secret('mysql://nobody@127.0.0.1/none') } as const;
const oldKey = new Secret('o'.repeat(32));
const newKey = new Secret('n'.repeat(32));

describeOnEachDatabase('The secrets of operators', (openTestDatabase) => {
  it('are opened by the new SECRETS_KEY alone once they were sealed anew', async () => {
    const fixture = await LedgerFixture.open(await openTestDatabase());
    const { unitOfWork } = fixture;
    const sealedSecret = await new SecretBox({ secretsKey: oldKey, database }).seal('of an app', operatorSecretPurpose);
    const id = createId('operator');
    await fixture.source.manager.insert(OperatorEntity, {
      ...{ id, email: 'op@example.com', emailNormalised: 'op@example.com', name: 'Op', role: 'owner' as const },
      ...{ passwordHash: 'none', sealedSecret, lastStep: 0, createdAtMs: 1, disabledAtMs: null },
    });
    const both = new SecretBox({ secretsKey: newKey, oldSecretsKey: oldKey, database });
    expect(await resealOperatorSecrets(unitOfWork, both)).toEqual({ resealed: 1, current: 0, unreadable: 0 });
    expect(await resealOperatorSecrets(unitOfWork, both)).toEqual({ resealed: 0, current: 1, unreadable: 0 });
    const row = await fixture.source.manager.findOneByOrFail(OperatorEntity, { id });
    const alone = new SecretBox({ secretsKey: newKey, database });
    expect(await alone.open(row.sealedSecret, operatorSecretPurpose)).toBe('of an app');
    await fixture.close();
  });
});
