import type { CallWaiters } from '../idempotency/call-waiters.js';
import type { LookUpName } from '../kernel/addresses/look-up-name.js';
import type { Clock } from '../kernel/clock.js';
import type { Logger } from '../kernel/logger.js';
import type { AuthenticatedKey } from '../keys/authenticate-key.js';
import type { HoldRenewer } from '../ledger/leases/hold-renewer.js';
import type { Ledger } from '../ledger/ledger.js';
import type { UpstreamClient } from '../providers/call-upstream.js';
import type { ChatRequest } from '../providers/chat-types.js';
import type { ProviderHealth } from '../providers/health/provider-health.js';
import type { ModelCatalogue } from '../providers/model-catalogue.js';
import type { CallTrace } from '../tracing/call-trace.js';
import type { CallMetrics } from './call-metrics.js';
import type { LeftCalls } from './left-calls.js';
import type { OutputSpeeds } from './metering/output-speeds.js';
import type { TokenCounter } from './metering/token-counter.js';
import type { ProxyActivity } from './proxy-activity.js';
import type { CallMarks } from './requests/call-marks.js';

/** One call, authenticated and parsed. */
export interface ProxyCall {
  readonly id: string;
  readonly key: AuthenticatedKey;
  readonly request: ChatRequest;
  /** The provider that the caller asks for by the header `x-tollgate-provider`; null: none. */
  readonly providerHeader: string | null;
  /** What the caller calls it, for the log; null, or left out: nothing. */
  readonly callerRequestId?: string | null;
  /** When it arrived, for the records. */
  readonly startedAtMs: number;
  /** When it arrived by `performance.now()`, which nobody can set: how long something took is measured by that alone. */
  readonly begunMs: number;
  readonly marks: CallMarks;
  /** null, or left out: the call is not traced. */
  readonly trace?: CallTrace | null;
  /** Whether the caller has left: nothing is asked of a provider for who is gone. */
  readonly caller: { readonly hasLeft: boolean };
  /** Aborted when the caller has left; null: what a provider was asked is read to its end in any case. */
  readonly callerGone: AbortSignal | null;
  /** Those who asked again and wait for its answer; null, or left out: nobody can. */
  readonly waiters?: CallWaiters | null;
}

export type AccountModels = readonly string[] | null;

export interface ProxyServices {
  readonly catalogue: ModelCatalogue;
  readonly ledger: Pick<Ledger, 'placeHold' | 'settleHold'>;
  readonly holds: Pick<HoldRenewer, 'track'>;
  readonly upstream: Pick<UpstreamClient, 'call'>;
  readonly health: Pick<ProviderHealth, 'begin' | 'isCallable' | 'findRetryAtMs'>;
  /** The provider that an account would rather have; null: no matter. */
  readonly findPreferredProvider: (accountId: string) => Promise<string | null>;
  /** What an account pays, in per mille of the list price; at once where it is known. */
  readonly findPriceMultiplier: (accountId: string) => number | Promise<number>;
  /** Public names of the models that an account may call, at once where they are known; null: all. */
  readonly findAccountModels: (accountId: string) => AccountModels | Promise<AccountModels>;
  /** Finds where the hosts of images are. */
  readonly lookUpName: LookUpName;
  /** How long one call may take, with all its attempts. */
  readonly callMsMax: number;
  readonly tokenCounter: Pick<TokenCounter, 'count'>;
  readonly activity: Pick<ProxyActivity, 'noteOutputCapIgnored' | 'noteImplausibleUsage'>;
  readonly callMetrics: Pick<CallMetrics, 'note'>;
  readonly leftCalls: LeftCalls;
  readonly outputSpeeds: OutputSpeeds;
  /**
   * Told of each call that is free because its caller left before its provider had it, or because its answer has no output, and how many
   * tokens of its prompt the provider has at the least.
   */
  readonly noteFreeCall: (accountId: string, promptTokens: number) => void;
  readonly clock: Clock;
  readonly logger: Logger;
}
