import type { Socket } from 'node:net';
import type { Pool } from 'mysql2';

const usualMsMax = 10_000;

/** What mysql2's pool has; it has no public word for it. */
interface PoolInside {
  readonly _allConnections: { readonly length: number; get(at: number): { readonly stream: Socket } | undefined };
}

/**
 * Closes a pool. Each connection takes leave behind the statement under way, if there is one: where the server then says nothing for too
 * long, it is cut, and nobody is told.
 * @throws what `close` throws in time.
 */
export async function closePool(pool: Pool, close: () => Promise<void>, msMax = usualMsMax): Promise<void> {
  let isCut = false;
  const timer = setTimeout(() => {
    isCut = true;
    const { _allConnections: all } = pool as Pool & PoolInside;
    for (let at = all.length - 1; at >= 0; at -= 1) all.get(at)?.stream.destroy();
  }, msMax);
  try {
    await close();
  } catch (error) {
    if (!isCut) throw error;
  } finally {
    clearTimeout(timer);
  }
}
