import type { RequestToEnter, SlidingWindow, WindowEntry } from '../sliding-window.js';
import { SharedStoreWatch } from './shared-store-watch.js';

/**
 * A shared window, and another one for the time that it is away: a request is always counted somewhere, never waved through.
 * In the minute of a change from one to the other, a window may hold what both let in.
 */
export class FallbackSlidingWindow implements SlidingWindow {
  constructor(
    private readonly shared: SlidingWindow,
    private readonly fallback: SlidingWindow,
    private readonly watch = new SharedStoreWatch(),
  ) {}

  enter(request: RequestToEnter): Promise<WindowEntry> {
    return this.watch.ask(
      () => this.shared.enter(request),
      () => this.fallback.enter(request),
    );
  }

  async close(): Promise<void> {
    await Promise.all([this.shared.close(), this.fallback.close()]);
  }
}
