import type { LogEntry, RequestLog, RequestToEnter } from './request-log.js';
import { SharedStoreWatch } from './shared-store-watch.js';

/**
 * A shared log, and another one for the time that it is away: a request is always counted somewhere, never waved through.
 * In the minute of a change from one to the other, a window may hold what both let in.
 */
export class FallbackRequestLog implements RequestLog {
  constructor(
    private readonly shared: RequestLog,
    private readonly fallback: RequestLog,
    private readonly watch = new SharedStoreWatch(),
  ) {}

  enter(request: RequestToEnter): Promise<LogEntry> {
    return this.watch.ask(
      () => this.shared.enter(request),
      () => this.fallback.enter(request),
    );
  }

  async close(): Promise<void> {
    await Promise.all([this.shared.close(), this.fallback.close()]);
  }
}
