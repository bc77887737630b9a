import type { ReadReplica } from './database/read-replica.js';
import type { UnitOfWork } from './database/unit-of-work.js';
import { LedgerReader } from './ledger/ledger-reader.js';
import { CallReader } from './usage/call-reader.js';
import { LatencyReporter } from './usage/latency-report.js';
import { RefusalReader } from './usage/refusal-reader.js';
import { SpendingReporter } from './usage/spending.js';
import { UsageReporter } from './usage/usage-report.js';

/**
 * What the dashboard's reports and the exports are read by. With a replica, it answers sums of usage, answer times, and the pages
 * of calls and statements behind the newest one. The primary answers what has to hold the caller's own latest call: the newest
 * page, and each receipt; and a page whose predecessor ended with a row that the replica does not have yet, so that no line
 * is missing between two pages.
 */
export function openReports(unitOfWork: UnitOfWork, replica: ReadReplica | null) {
  const calls = new CallReader(unitOfWork);
  const usage = new UsageReporter(unitOfWork);
  const latency = new LatencyReporter(unitOfWork);
  const spending = new SpendingReporter(unitOfWork);
  const statement = new LedgerReader(unitOfWork);
  // Few, and wanted as new as can be.
  const refusals = new RefusalReader(unitOfWork);
  if (replica === null) return { calls, usage, latency, refusals, spending, statement };

  type Calls = Pick<CallReader, 'listCalls' | 'findCall' | 'findBalanceAfter'>;
  const sharedCalls: Calls = {
    findCall: (accountId, callId) => calls.findCall(accountId, callId),
    findBalanceAfter: (accountId, callId) => calls.findBalanceAfter(accountId, callId),
    listCalls(accountId, page) {
      const { beforeId } = page;
      const askPrimary = () => calls.listCalls(accountId, page);
      if (beforeId === null) return askPrimary();
      return replica.read(async (replicated) => {
        const reader = new CallReader(replicated);
        return (await reader.findCall(accountId, beforeId)) && reader.listCalls(accountId, page);
      }, askPrimary);
    },
  };
  const sharedUsage: Pick<UsageReporter, 'report'> = {
    report: (question) =>
      replica.read(
        (replicated) => new UsageReporter(replicated).report(question),
        () => usage.report(question),
      ),
  };
  const sharedLatency: Pick<LatencyReporter, 'report'> = {
    report: (question) =>
      replica.read(
        (replicated) => new LatencyReporter(replicated).report(question),
        () => latency.report(question),
      ),
  };
  const sharedSpending: Pick<SpendingReporter, 'report'> = {
    report: (accountId, nowMs) =>
      replica.read(
        (replicated) => new SpendingReporter(replicated).report(accountId, nowMs),
        () => spending.report(accountId, nowMs),
      ),
  };
  const sharedStatement: Pick<LedgerReader, 'listStatement'> = {
    listStatement(accountId, page) {
      const { beforeSeq } = page;
      const askPrimary = () => statement.listStatement(accountId, page);
      if (beforeSeq === null) return askPrimary();
      return replica.read(async (replicated) => {
        const reader = new LedgerReader(replicated);
        return (await reader.hasLine(accountId, beforeSeq)) ? reader.listStatement(accountId, page) : null;
      }, askPrimary);
    },
  };
  return {
    calls: sharedCalls,
    usage: sharedUsage,
    latency: sharedLatency,
    refusals,
    spending: sharedSpending,
    statement: sharedStatement,
  };
}
