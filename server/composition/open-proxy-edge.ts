import type { Config } from '../config/config.js';
import { createDatabaseClock } from '../database/time/database-clock.js';
import { CallerGate } from '../http/calls/authenticate-caller.js';
import type { BodyMemory } from '../http/calls/body-memory.js';
import { IdempotentAnswers } from '../idempotency/idempotent-answers.js';
import type { LookUpName } from '../kernel/addresses/look-up-name.js';
import type { Clock } from '../kernel/clock.js';
import { listToClose } from '../kernel/jobs/close-in-order.js';
import type { Logger } from '../kernel/logger.js';
import { KeyNetworks, type KeyNetworksParts } from '../keys/key-networks.js';
import { decideCallStanding, findCallStanding } from '../ledger/receipts/find-call-standing.js';
import type { OwnLimits } from '../limits/account-limits.js';
import { AdmissionQueue } from '../limits/admission-queue.js';
import { ConcurrentCalls } from '../limits/concurrent-calls.js';
import { FreeCalls } from '../limits/free-calls.js';
import { RequestRateLimit } from '../limits/request-rate-limit.js';
import { TokenRateLimit } from '../limits/token-rate-limit.js';
import { LeftCalls } from '../proxy/left-calls.js';
import { ImplausibleUsageNotices } from '../proxy/metering/implausible-usage-notices.js';
import { OutputSpeeds } from '../proxy/metering/output-speeds.js';
import { TokenCounter } from '../proxy/metering/token-counter.js';
import { listProxyMetrics, ProxyActivity } from '../proxy/proxy-activity.js';
import type { AccountModels } from '../proxy/proxy-call.js';
import { RequestParser } from '../proxy/requests/request-parser.js';
import { sampleCompletedCalls } from '../proxy/sample-completed-calls.js';
import { ReceiptReader } from '../usage/requests/receipt-reader.js';
import { RefusalLog } from '../usage/requests/refusal-log.js';
import type { Core } from './create-core.js';
import type { openMetrics } from './open-metrics.js';

/** A stream that nobody reads any more holds up a server that is to stop no longer than this. */
const leftTimeoutMs = 10_000;
/** Even a server whose time to stop is over lets the calls that it has cut be settled. */
const settleTimeoutMs = 5_000;

/** The limits that hold only where a setting says so, and what is told of them. */
function openCallLimits(core: Core, { tokensPerMinute, concurrentCallsMax, concurrentCallsOfKeyMax: ofKey }: Config) {
  return {
    tokenRateLimit: new TokenRateLimit(core.limits.tokenLog, tokensPerMinute),
    concurrentCallsOfKey: ofKey === null ? null : new ConcurrentCalls(ofKey, 'calls', 'This API key'),
    tokenRates: tokensPerMinute,
    callsAtOnce: { account: concurrentCallsMax, key: ofKey },
  };
}

type Metrics = ReturnType<typeof openMetrics>;
type EdgeParts = Record<'config', Config> &
  Record<'logger', Logger> &
  Record<'clock', Clock> &
  Record<'lookUpName', LookUpName> &
  Record<'metrics', Metrics>;

// Loaded only where it is asked for, so that a server without it has nothing of it in memory.
async function openTracing({ config, clock, logger }: Pick<EdgeParts, 'config' | 'clock' | 'logger'>) {
  if (config.tracing === null) return null;
  const { openTracing: open } = await import('../tracing/call-tracer.js');
  return open(config.tracing, { clock, logger });
}

function openKeyNetworks(parts: KeyNetworksParts): KeyNetworks {
  const networks = new KeyNetworks(parts);
  networks.start();
  return networks;
}

/** Answers that may be given once more, for the same request. */
function startAnswers(
  { unitOfWork, ledger, findBelievedMs }: Core,
  { config, clock, logger }: Pick<EdgeParts, 'config' | 'clock' | 'logger'>,
): IdempotentAnswers {
  const books = { reader: unitOfWork.reader, ledger };
  const answers = new IdempotentAnswers({
    ...{ unitOfWork, logger, times: config.holdTimes },
    databaseClock: createDatabaseClock(unitOfWork.reader, clock),
    findBelievedMs: () => findBelievedMs(),
    findCallStanding: (callId) => findCallStanding(books, callId),
    decideCallStanding: (call) => decideCallStanding(books, call),
  });
  answers.start();
  return answers;
}

/** What stands between the proxy's addresses and a call: limits, kept answers, what a caller may read. */
export async function openProxyEdge(core: Core, bodyMemory: BodyMemory, parts: EdgeParts) {
  const { unitOfWork, catalogue, ledger, holds, upstream, authenticator, resolverServices, outbox } = core;
  const { config, clock, metrics, lookUpName } = parts;
  const { requestsPerMinute } = config;
  const logger = sampleCompletedCalls(parts.logger, config.logCompletedEvery);
  const { slidingWindow, openCounter } = core.limits;
  const tracing = await openTracing(parts);
  const idempotentAnswers = startAnswers(core, { config, clock, logger });
  const concurrentCalls = new ConcurrentCalls(config.concurrentCallsMax);
  const tokenCounter = new TokenCounter({ logger });
  const requestParser = new RequestParser({ logger });
  const activity = new ProxyActivity();
  const admissionQueue = new AdmissionQueue(clock, bodyMemory.bytesOfWaitingMax);
  const tellOperator: typeof outbox.tellOperator = (notice) => outbox.tellOperator(notice);
  const notices = new ImplausibleUsageNotices({ activity, clock, logger, tellOperator });
  notices.start();
  const leftCalls = new LeftCalls(config.leftCalls);
  const freeCalls = new FreeCalls(requestsPerMinute, clock, openCounter);
  const refusals = new RefusalLog(unitOfWork, clock, logger);
  const { keys, keySpend, calls, ledgerReader, health, preferredProviders, accountPrices } = resolverServices;
  const networks = openKeyNetworks({ unitOfWork, clock, logger });
  const { accountLimits } = core;
  const allowance = { rateLimit: new RequestRateLimit(slidingWindow, requestsPerMinute), accountLimits };
  const limits = openCallLimits(core, config);
  const services = {
    ...{ ledger: metrics.calls.watch(ledger), callMetrics: metrics.calls, requestMetrics: metrics.requests },
    ...{ catalogue, holds, upstream, health, clock, logger, idempotentAnswers, requestsPerMinute },
    ...{ tokenCounter, activity, requestParser, bodyMemory, leftCalls, freeCalls, admissionQueue },
    outputSpeeds: new OutputSpeeds(),
    ...{ refusals, keptItems: core.keptItems },
    noteFreeCall: (accountId: string, promptTokens: number) => void freeCalls.note(accountId, promptTokens),
    findPreferredProvider: (accountId: string) => preferredProviders.find(accountId),
    findPriceMultiplier: (accountId: string) => accountPrices.find(accountId),
    findAccountModels: (accountId: string) => readModels(accountLimits.find(accountId)),
    lookUpName,
    callMsMax: config.upstreamTimeouts.totalMs,
    publicUrl: config.publicUrl,
    ...{ ...allowance, gate: new CallerGate(authenticator, allowance, openCounter, networks) },
    ...{ concurrentCalls, announcements: resolverServices.announcementBoard, tracer: tracing?.tracer ?? null },
    ...limits,
    receipts: new ReceiptReader(unitOfWork, calls),
    findBalance: (accountId: string) => ledgerReader.findBalance(accountId),
    findKey: (accountId: string, keyId: string) => keys.findKey(accountId, keyId),
    findKeySpend: async (accountId: string, keyId: string) =>
      (await keySpend.sumKeySpend(accountId, clock.nowMs())).get(keyId) ?? { day: 0, week: 0, month: 0 },
  };
  const endRunning = (timeoutMs: number) => endCalls({ concurrentCalls, leftCalls, tokenCounter }, timeoutMs);
  const work = listToClose({ notices, refusals, networks, idempotentAnswers, requestParser, tracing });
  const listRunning = () => ({ calls: concurrentCalls.count, streams: activity.streams.count });
  const proxyWork = { activity, tokenCounter, leftCalls, admissionQueue };
  const listMetrics = () => [...listProxyMetrics(proxyWork), ...(tracing?.listMetrics() ?? [])];
  return { services, endRunning, work, listRunning, listMetrics };
}

interface RunningCalls {
  readonly concurrentCalls: ConcurrentCalls;
  readonly leftCalls: LeftCalls;
  readonly tokenCounter: TokenCounter;
}

/** How much longer than its time `endRunning` may take. */
export const endingMsMax = 2 * settleTimeoutMs + 1_000;

/** A call may outlive its connection: a plain one is finished, and every one has to be settled. */
async function endCalls({ concurrentCalls, leftCalls, tokenCounter }: RunningCalls, timeoutMs: number): Promise<void> {
  const breakOff = setTimeout(() => leftCalls.breakOffAll(), Math.min(timeoutMs, leftTimeoutMs));
  await concurrentCalls.whenIdle(timeoutMs);
  clearTimeout(breakOff);
  leftCalls.breakOffAll();
  await concurrentCalls.whenIdle(settleTimeoutMs);
  // Whoever still waits for a count gets an estimate without one, and has to be settled as well.
  await tokenCounter.close();
  await concurrentCalls.whenIdle(settleTimeoutMs);
}

// Without a wait where they are remembered, as they mostly are.
function readModels(own: OwnLimits | Promise<OwnLimits>): AccountModels | Promise<AccountModels> {
  return own instanceof Promise ? own.then(({ models }) => models) : own.models;
}
