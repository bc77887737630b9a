/** When a call whose server died gives back what it has reserved: a lease and the grace after its last sign of life. */
export interface HoldTimes {
  readonly leaseMs: number;
  readonly graceMs: number;
  /** About how often each instance looks for such calls. */
  readonly sweepMs: number;
}

/** What becomes of streams whose callers have left. */
export interface LeftCallRules {
  /** How long each is read on in the hope of its end. */
  readonly graceMs: number;
  /** Whether all of them are then read to the end; else those are broken off whose providers stop on that. */
  readonly isReadOn: boolean;
}

export interface UpstreamTimeouts {
  readonly connectMs: number;
  /** From the request to the first byte of the answer. */
  readonly firstByteMs: number;
  /** Between two chunks of an answer. */
  readonly idleMs: number;
  /** For the whole call. */
  readonly totalMs: number;
}

/** As the environment has them, each well formed. */
interface TimeSettings {
  readonly HOLD_LEASE_SECONDS: number;
  readonly HOLD_GRACE_SECONDS: number;
  readonly HOLD_SWEEP_SECONDS: number;
  readonly UPSTREAM_CONNECT_TIMEOUT_MS: number;
  readonly UPSTREAM_FIRST_BYTE_TIMEOUT_MS: number;
  readonly UPSTREAM_IDLE_TIMEOUT_MS: number;
  readonly UPSTREAM_TOTAL_TIMEOUT_MS: number;
}

export function readHoldTimes(settings: TimeSettings): HoldTimes {
  return Object.freeze({
    leaseMs: settings.HOLD_LEASE_SECONDS * 1_000,
    graceMs: settings.HOLD_GRACE_SECONDS * 1_000,
    sweepMs: settings.HOLD_SWEEP_SECONDS * 1_000,
  });
}

export function readUpstreamTimeouts(settings: TimeSettings): UpstreamTimeouts {
  return Object.freeze({
    connectMs: settings.UPSTREAM_CONNECT_TIMEOUT_MS,
    firstByteMs: settings.UPSTREAM_FIRST_BYTE_TIMEOUT_MS,
    idleMs: settings.UPSTREAM_IDLE_TIMEOUT_MS,
    totalMs: settings.UPSTREAM_TOTAL_TIMEOUT_MS,
  });
}
