import { listCloseStages } from './list-close-stages.js';
import { endingMsMax } from './open-proxy-edge.js';

/** What docs/operations/start-and-stop.md, and the files in deploy/, leave for letting go behind the two minutes of running calls. */
const lettingGoMs = 30_000;
/** A connection that is cut, and the pause of the process above that watches over workers. */
const cutMs = 1_000;

describe('what is closed when a server stops', () => {
  it('is closed within half a minute after the time of running calls, whatever says nothing', () => {
    const stages = listCloseStages({ work: {}, stores: {}, connections: {} });
    const behindMs = stages.reduce((sum, { timeoutMs }) => sum + timeoutMs, 0);
    expect(cutMs + endingMsMax + behindMs).toBeLessThanOrEqual(lettingGoMs);
  });

  it('are jobs and what is still to be written first, then the ledger, then the connections that both need', () => {
    const [work, stores, connections] = [{ job: () => {} }, { ledger: () => {} }, { database: () => {} }];
    expect(listCloseStages({ connections, stores, work }).map(({ steps }) => steps)).toEqual([
      work,
      stores,
      connections,
    ]);
  });
});
