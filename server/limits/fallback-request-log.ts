import type { LogEntry, RequestLog, RequestToEnter } from './request-log.js';

/** For so long a shared log that hangs is not asked again; then one request finds out for all. */
const pauseMs = 1_000;
/** One that fails quicker than this costs nobody anything, and is asked each time. */
const quickMs = 100;

/**
 * A shared log, and another one for the time that it is away: a request is always counted somewhere, never waved through.
 * A shared log that hangs is waited for by those who are asking already, and then by one request a second. In the minute of a
 * change from one to the other, a window may hold what both let in.
 */
export class FallbackRequestLog implements RequestLog {
  #isHanging = false;
  #isProbing = false;
  #askAgainMs = 0;

  constructor(
    private readonly shared: RequestLog,
    private readonly fallback: RequestLog,
  ) {}

  async enter(request: RequestToEnter): Promise<LogEntry> {
    if (this.#isHanging) {
      if (this.#isProbing || performance.now() < this.#askAgainMs) return this.fallback.enter(request);
      this.#isProbing = true;
    }
    const askedMs = performance.now();
    try {
      const entry = await this.shared.enter(request);
      this.#isHanging = false;
      return entry;
    } catch {
      const failedMs = performance.now();
      this.#isHanging = failedMs - askedMs > quickMs;
      this.#askAgainMs = failedMs + pauseMs;
      return await this.fallback.enter(request);
    } finally {
      this.#isProbing = false;
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.shared.close(), this.fallback.close()]);
  }
}
