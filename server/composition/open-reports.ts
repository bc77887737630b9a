import type { ReadReplica } from '../database/read-replica.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import type { Clock } from '../kernel/clock.js';
import { listKeyNetworks } from '../keys/key-networks.js';
import { LedgerReader } from '../ledger/ledger-reader.js';
import { Explorer } from '../usage/reports/explore.js';
import { LatencyReporter } from '../usage/reports/latency-report.js';
import { SpendingReporter } from '../usage/reports/spending.js';
import { UsageReporter } from '../usage/reports/usage-report.js';
import { CallReader } from '../usage/requests/call-reader.js';
import { ReceiptLinks } from '../usage/requests/receipt-links.js';
import { RefusalReader } from '../usage/requests/refusal-reader.js';
import { RequestReader } from '../usage/requests/request-list.js';
import { ServiceMeasures } from '../usage/service/service-measures.js';
import { SharedPacks } from '../usage/sums/pack-memory.js';

/**
 * What the dashboard's reports and the exports are read by. With a replica, it answers sums of usage, answer times, and the pages
 * of calls and statements behind the newest one. The primary answers what has to hold the caller's own latest call: the newest
 * page, and each receipt; and a page whose predecessor ended with a row that the replica does not have yet, so that no line
 * is missing between two pages.
 */
export function openReports(unitOfWork: UnitOfWork, replica: ReadReplica | null, clock: Clock) {
  const calls = new CallReader(unitOfWork);
  const usage = new UsageReporter(unitOfWork);
  const packs = new SharedPacks();
  const explore = new Explorer(unitOfWork, packs);
  const latency = new LatencyReporter(unitOfWork);
  const spending = new SpendingReporter(unitOfWork);
  const statement = new LedgerReader(unitOfWork);
  const refusals = new RefusalReader(unitOfWork);
  const receiptLinks = new ReceiptLinks(unitOfWork, calls, clock);
  const keyNetworks = { list: (accountId: string) => listKeyNetworks(unitOfWork.reader, clock, accountId) };
  // Few, and wanted as new as can be.
  const neverShared = { refusals, receiptLinks, keyNetworks };
  const measures = new ServiceMeasures(
    (read) => (replica === null ? read(unitOfWork) : replica.read(read, () => read(unitOfWork))),
    clock,
  );
  if (replica === null) {
    const requests = new RequestReader({ calls, refusals });
    return { calls, requests, ...neverShared, usage, explore, latency, spending, statement, measures };
  }

  const sharedCalls = shareCalls(calls, replica);
  const sharedUsage: Pick<UsageReporter, 'report'> = {
    report: (question) =>
      replica.read(
        (replicated) => new UsageReporter(replicated).report(question),
        () => usage.report(question),
      ),
  };
  const sharedExplore: Pick<Explorer, 'explore'> = {
    explore: (question) =>
      replica.read(
        (replicated) => new Explorer(replicated, packs).explore(question),
        () => explore.explore(question),
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
  const sharedStatement = shareStatement(statement, replica);
  return {
    calls: sharedCalls,
    requests: new RequestReader({ calls: sharedCalls, refusals }),
    ...neverShared,
    usage: sharedUsage,
    explore: sharedExplore,
    latency: sharedLatency,
    spending: sharedSpending,
    statement: sharedStatement,
    measures,
  };
}

type Calls = Pick<CallReader, 'listCalls' | 'listLargest' | 'findCall' | 'findBalanceAfter'>;

function shareCalls(calls: CallReader, replica: ReadReplica): Calls {
  return {
    findCall: (accountId, callId) => calls.findCall(accountId, callId),
    findBalanceAfter: (accountId, callId) => calls.findBalanceAfter(accountId, callId),
    listLargest: (accountId, page) =>
      replica.read(
        (replicated) => new CallReader(replicated).listLargest(accountId, page),
        () => calls.listLargest(accountId, page),
      ),
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
}

function shareStatement(
  statement: LedgerReader,
  replica: ReadReplica,
): Pick<LedgerReader, 'listStatement' | 'findCalls'> {
  return {
    listStatement(accountId, page) {
      const { beforeSeq } = page;
      const askPrimary = () => statement.listStatement(accountId, page);
      if (beforeSeq === null) return askPrimary();
      return replica.read(async (replicated) => {
        const reader = new LedgerReader(replicated);
        return (await reader.hasLine(accountId, beforeSeq)) ? reader.listStatement(accountId, page) : null;
      }, askPrimary);
    },
    // A few rows by their ids: a copy that lags behind the page would leave some out.
    findCalls: (lines) => statement.findCalls(lines),
  };
}
