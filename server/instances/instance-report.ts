import { z } from 'zod';

const count = z.number().int().min(0);

const reportShape = z.object({
  /** Of Tollgate. */
  version: z.string(),
  startedAtMs: count,
  callsRunning: count,
  streamsOpen: count,
  connections: count,
  /** What happened in the last minute, or since the start where that is less. */
  lastMinute: z.object({
    /** How long that was, in milliseconds. */
    lengthMs: count,
    calls: count,
    /** Those of the calls that brought their caller no whole answer, through no doing of the caller. */
    failedCalls: count,
    /** Calls that were answered by an error, whatever its cause. */
    refusals: count,
    tokens: count,
    /** Commits of the ledger, and how many operations shared them. */
    commits: count,
    operations: count,
  }),
  /** Operations of the ledger that wait for a commit to begin. */
  queuedOperations: count,
  leases: z.object({ count, leasedMillicredits: count, reservedMillicredits: count }),
  /** Since when it cannot look at the books; null: it can. Left out by a process of an earlier release. */
  auditFailingSinceMs: count.nullable().optional(),
  /** What the process does by itself again and again; null: not done since its start. */
  jobs: z.array(z.object({ name: z.string(), lastDoneAtMs: count.nullable() })).max(50),
});

/** What a server process says of itself, every few seconds. */
export type InstanceReport = Readonly<z.infer<typeof reportShape>>;

/** The figures of `lastMinute`, as counters that only grow from the start of the process on. */
export type TrafficCounts = Omit<InstanceReport['lastMinute'], 'lengthMs'>;

/** What another process wrote. @returns null for what another release wrote in another shape. */
export function readReport(json: string): InstanceReport | null {
  return reportShape.safeParse(JSON.parse(json)).data ?? null;
}
