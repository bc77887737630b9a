import type { DatabaseAddress } from '../server/database/database-address.js';
import { hashSecret, mintSecret } from '../server/keys/key-secret.js';
import { LedgerFixture } from '../server/test/ledger-fixture.js';

const balanceEach = 1_000_000_000_000;

/** Brings a fresh database up to date and makes so many accounts with a full balance. @returns the secret of each one's key. */
export async function fundCallers(address: DatabaseAddress, count: number): Promise<string[]> {
  const fixture = await LedgerFixture.open({ kind: address.kind, address, drop: async () => {} });
  const secrets: string[] = [];
  for (let made = 0; made < count; made += 1) {
    const { keyId } = await fixture.createFundedAccount(balanceEach);
    const secret = mintSecret();
    await fixture.source.query(`UPDATE api_key SET secret_hash = '${hashSecret(secret)}' WHERE id = '${keyId}'`);
    secrets.push(secret);
  }
  await fixture.ledger.close();
  await fixture.source.destroy();
  return secrets;
}
