/** The only source of wall time in the server, so that tests can move it. */
export interface Clock {
  /** Milliseconds since 1970-01-01 UTC. For records and for people, never to order money. */
  nowMs(): number;
}

export const systemClock: Clock = { nowMs: () => Date.now() };

/** A clock that stands still until a test moves it. */
export class FakeClock implements Clock {
  constructor(private currentMs = Date.UTC(2026, 0, 1)) {}

  nowMs(): number {
    return this.currentMs;
  }

  advanceMs(durationMs: number): void {
    this.currentMs += durationMs;
  }
}
