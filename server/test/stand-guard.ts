import { createDataSource } from '../database/data-source.js';
import { standGuard } from '../database/schema-changes/append-only.js';
import { Secret } from '../kernel/secret.js';
import { adminUrlOf, type TestDatabase } from './each-database.js';

/** Makes the append-only triggers as an administrator would, where the server lets an ordinary user make none. */
export async function standGuardAsAdmin(database: TestDatabase): Promise<void> {
  if (database.kind === 'sqlite') return;
  const url = new Secret(adminUrlOf(database).href);
  const source = await createDataSource({ kind: 'mysql', url }, { entities: [], migrations: [] }).initialize();
  const runner = source.createQueryRunner();
  const refusal = await standGuard(runner);
  await runner.release();
  await source.destroy();
  if (refusal !== null) throw new Error(refusal);
}
