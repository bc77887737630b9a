import type { WalletsElsewhere } from './polled-wallets.js';

/** Where instances tell each other. Messages may be lost. */
export interface WalletChannel {
  publish(message: string): Promise<void>;
  listen(listener: (message: string) => void): void;
  rest(): void;
}

/** Changes that follow each other this closely are announced together. */
const gatherMs = 20;
const accountsMax = 2_000;

interface Announcement {
  readonly from: string;
  /** null: too many to name. */
  readonly accountIds: readonly string[] | null;
}

/**
 * Announces to other instances whose wallets this one has changed, at most fifty times a second and one message at a time,
 * and hears what they announce.
 * @param fallback Looks by itself in the time in which announcements cannot be heard; null: nobody does.
 */
export class AnnouncedWallets implements WalletsElsewhere {
  readonly #changed = new Set<string>();
  #isAnnouncing = false;
  #isListening = false;

  constructor(
    private readonly instance: string,
    private readonly channel: WalletChannel,
    private readonly fallback: WalletsElsewhere | null,
  ) {}

  /** This instance has changed an account's wallet. */
  announce(accountId: string): void {
    if (this.#changed.size <= accountsMax) this.#changed.add(accountId);
    if (this.#isAnnouncing) return;
    this.#isAnnouncing = true;
    setTimeout(() => void this.#publish(), gatherMs).unref();
  }

  begin(wake: (accountId: string) => void, listWatched: () => readonly string[]): void {
    if (this.#isListening) return;
    this.#isListening = true;
    this.channel.listen((message) => {
      const { from, accountIds } = JSON.parse(message) as Announcement;
      if (from !== this.instance) for (const accountId of accountIds ?? listWatched()) wake(accountId);
    });
    this.fallback?.begin(wake, listWatched);
  }

  rest(): void {
    this.#isListening = false;
    this.channel.rest();
    this.fallback?.rest();
  }

  async #publish(): Promise<void> {
    const accountIds = this.#changed.size > accountsMax ? null : [...this.#changed];
    this.#changed.clear();
    const announcement: Announcement = { from: this.instance, accountIds };
    // What is lost here, whoever watches finds by looking.
    await this.channel.publish(JSON.stringify(announcement)).catch(() => {});
    this.#isAnnouncing = false;
    const [accountId] = this.#changed;
    if (accountId !== undefined) this.announce(accountId);
  }
}
