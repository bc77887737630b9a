import type { DatabaseAddress } from '../../server/database/database-address.js';
import { eventually } from '../../server/test/eventually.js';
import type { CrashSite } from './crash-site.js';
import { countOpenHolds } from './find-book-faults.js';

/** What `/healthz` says, as far as these tests ask. */
export interface SiteHealth {
  readonly database: string;
  readonly settlements: {
    /** null: the spool could not be read. */
    readonly kept: number | null;
    readonly quarantined: number;
    readonly damagedFiles: number;
    readonly room: string;
    readonly roomMissingFor: string;
  };
}

export async function readHealth({ stack }: Pick<CrashSite, 'stack'>): Promise<{ status: number; body: SiteHealth }> {
  const response = await fetch(`${stack.baseUrl}/healthz`);
  return { status: response.status, body: (await response.json()) as SiteHealth };
}

/**
 * After this, all that can be known is known: no call runs, nothing is held, and no settlement waits. The test's time limit ends
 * the wait.
 */
export async function waitUntilAtRest(site: Pick<CrashSite, 'stack'>, address: DatabaseAddress): Promise<void> {
  await eventually(async () => (await countOpenHolds(address)) === 0, 100);
  // A hold may have expired before the settlement that was kept for it is booked.
  await eventually(async () => (await readHealth(site)).body.settlements.kept === 0, 100);
}
