import type { TestApp } from './create-test-app.js';
import { eventuallyFind } from './eventually.js';

/** The id of the call that a retry without Idempotency-Key waits for, once it does: the retry that says this count. */
export async function findJoinedCall(app: TestApp, retryCount: string): Promise<string> {
  const sql = `SELECT call_id FROM idempotent_answer WHERE body_hash = '${retryCount} there'`;
  return String(await eventuallyFind(async () => (await app.query(sql))[0]?.call_id));
}
