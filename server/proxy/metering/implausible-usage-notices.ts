import type { Clock } from '../../kernel/clock.js';
import type { Logger } from '../../kernel/logger.js';
import type { ProxyActivity } from '../proxy-activity.js';

const tellEveryMs = 60_000;
const dayMs = 24 * 3_600_000;

export interface ImplausibleUsageNoticesParts {
  readonly activity: Pick<ProxyActivity, 'takeImplausibleUsage'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Tells once what has the same subject. */
  tellOperator(notice: { subjectKey: string; title: string; body: string }): Promise<void>;
}

/**
 * Tells the operator by mail, once a day for each provider and model, of counts that cannot be true. Beside the calls: no
 * answer waits for it. What cannot be written now is only in the log.
 */
export class ImplausibleUsageNotices {
  #timer: NodeJS.Timeout | null = null;
  #telling: Promise<void> = Promise.resolve();

  constructor(private readonly parts: ImplausibleUsageNoticesParts) {}

  start(): void {
    this.#timer = setInterval(() => {
      this.#telling = this.#telling.then(() => this.tell());
    }, tellEveryMs);
    this.#timer.unref();
  }

  /** Tells what is left. */
  async close(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer);
    await this.#telling;
    await this.tell();
  }

  /** Never throws. */
  async tell(): Promise<void> {
    const day = Math.floor(this.parts.clock.nowMs() / dayMs);
    for (const { provider, model, calls } of this.parts.activity.takeImplausibleUsage()) {
      const subjectKey = `implausible-usage:${day}:${provider}:${model}`.slice(0, 191);
      const body =
        `${provider} reported more tokens for ${model} than a call can have used, in ${calls} call(s) within a minute. ` +
        'Each was billed by an estimate of what was sent and seen, or was free where nothing was shown. The log has each as implausible_usage, with the counts and the reason. ' +
        'If the provider bills you by these counts, ask it about them, and turn the model off meanwhile. ' +
        'If the reason is unasked_choices, it made and counted more choices than were asked for; only those are billed. ' +
        'If the reason is output_above_answer and the model reasons unseen, set capabilities.reasoning of it.';
      try {
        await this.parts.tellOperator({ subjectKey, title: `${provider} reports usage that cannot be true`, body });
      } catch (error) {
        this.parts.logger.error('implausible_usage_not_told', { provider, model, error });
      }
    }
  }
}
