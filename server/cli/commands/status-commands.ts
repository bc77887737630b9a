import type { ReportedInstance } from '../../instances/instance-reports.js';
import type { OperatorServices, WithServices } from '../open-operator-services.js';
import type { OperatorCommand } from '../operator-program.js';

export const statusUsage = `  status [--json]            every server process: its traffic of the last minute, the ledger's queue, leases, jobs; and the
                             mails, webhooks and payments that need attention`;

const silentAfterMs = 30_000;

/** How the installation stands, by what its processes say of themselves. */
export function listStatusCommands(withServices: WithServices): Readonly<Record<string, OperatorCommand>> {
  return {
    status: {
      flags: ['json'],
      run: (_, { json }) => withServices((services) => printStatus(services, json !== undefined)),
    },
  };
}

async function printStatus({ findStatus }: OperatorServices, isJson: boolean): Promise<void> {
  const { nowMs, processes, ...waiting } = await findStatus();
  if (isJson) return console.log(JSON.stringify({ processes, ...waiting }, null, 2));
  if (processes.length === 0) console.log('No server process has reported within the last hour.');
  for (const process of processes) console.log(describe(process, nowMs));
  const { notices, quarantinedEvents } = waiting;
  console.log(`notices: ${notices.waiting} waiting, ${notices.givenUp} given up`);
  console.log(`payments that do not fit: ${quarantinedEvents}`);
}

function describe(process: ReportedInstance, nowMs: number): string {
  const { id, version, reportedAtMs, callsRunning, streamsOpen, lastMinute, queuedOperations, leases, jobs } = process;
  const isSilent = reportedAtMs < nowMs - silentAfterMs;
  const head = isSilent ? `silent since ${toIso(reportedAtMs)}` : `running since ${toIso(process.startedAtMs)}`;
  const { lengthMs, calls, failedCalls, refusals, tokens, commits, operations } = lastMinute;
  const leased = `${leases.leasedMillicredits / 1_000} credits, ${leases.reservedMillicredits / 1_000} of them reserved`;
  const done = jobs.map(
    ({ name, lastDoneAtMs }) => `${name} ${lastDoneAtMs === null ? 'not yet' : toIso(lastDoneAtMs)}`,
  );
  return [
    `${id}  ${version}  ${head}`,
    `  now: ${callsRunning} calls, ${streamsOpen} of them streams`,
    `  last ${Math.round(lengthMs / 1_000)} s: ${calls} calls, ${failedCalls} failed, ${refusals} refused, ${tokens} tokens`,
    `  ledger: ${queuedOperations} operations wait; ${operations} in ${commits} commits of the last minute`,
    `  leases: ${leases.count}, ${leased}`,
    `  jobs, last done: ${done.join(', ')}`,
  ].join('\n');
}

function toIso(atMs: number): string {
  return new Date(atMs).toISOString();
}
