import type { Pool } from 'mysql2';
import { insideOf, socketOf } from './driver-inside.js';

const usualMsMax = 10_000;

/**
 * Closes a pool. Each connection takes leave behind the statement under way, if there is one: where the server then says nothing for too
 * long, it is cut: whoever waits for its answer is told, and this ends as if it had taken leave.
 * @throws what `close` throws before that.
 */
export async function closePool(pool: Pool, close: () => Promise<void>, msMax = usualMsMax): Promise<void> {
  let isCut = false;
  const timer = setTimeout(() => {
    isCut = true;
    const { all } = insideOf(pool);
    for (let at = all.length - 1; at >= 0; at -= 1) {
      const connection = all.get(at);
      if (connection) socketOf(connection).destroy();
    }
  }, msMax);
  try {
    await close();
  } catch (error) {
    if (!isCut) throw error;
  } finally {
    clearTimeout(timer);
  }
}
