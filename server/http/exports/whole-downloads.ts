import type { Request } from 'express';
import type { AccountEvents } from '../../audit/account-events.js';
import { actAs } from '../../audit/acting.js';
import { AppError } from '../../kernel/app-error.js';
import type { AttemptCounter, OpenAttemptCounter } from '../../kernel/attempt-counter.js';
import type { MemberRole } from '../../kernel/member-role.js';

/** Downloads that are worth an event of their own; the others are read by programs all the time. */
const takesAllAlong: ReadonlySet<string> = new Set(['account.json', 'events.csv']);
/** Each writes a row that is kept, of one account in an hour. */
const perHourMax = 60;
const hourMs = 3_600_000;

/** Who takes a file along. */
interface Downloader {
  readonly accountId: string;
  readonly sessionId: string | null;
  readonly personId: string | null;
  readonly role: MemberRole | null;
}

/** Notes each download of all that is known of an account among its events, and lets it have 60 in an hour. */
export class WholeDownloads {
  readonly #counter: AttemptCounter;

  constructor(
    private readonly events: Pick<AccountEvents, 'noteExport'>,
    openCounter: OpenAttemptCounter,
  ) {
    this.#counter = openCounter({ kind: 'whole download', max: perHourMax, windowMs: hourMs, isFinal: true });
  }

  /** Of other files it notes nothing. @throws AppError `rate_limit_exceeded` with the time to wait. */
  async note(request: Request, fileName: string, { accountId, sessionId, personId, role }: Downloader): Promise<void> {
    if (!takesAllAlong.has(fileName)) return;
    const { waitMs } = await this.#counter.count(accountId);
    if (waitMs > 0) {
      const words = `This account has had ${perHourMax} such downloads in an hour. Try again in ${Math.ceil(waitMs / 60_000)} minute(s).`;
      throw new AppError('rate_limit_exceeded', words, { retryAfterMs: waitMs });
    }
    const userAgent = request.headers['user-agent'] ?? null;
    const actor = { actorId: sessionId, personId, role, address: request.ip ?? 'unknown', userAgent };
    await actAs(actor, () => this.events.noteExport(accountId, fileName));
  }
}
