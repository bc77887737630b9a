import type { PersonalItemKind } from '../../gql/graphql';
import type { Conversation, Conversations } from '../../lib/playground/conversations';
import { writeConversation } from '../../lib/playground/kept-conversations';
import type { Turn } from '../../lib/playground/turn';
import { currentSession } from '../../lib/session/session-end';
import type { PlaygroundSettings } from './playground-settings';

interface AccountCalls {
  save(kind: PersonalItemKind, name: string, content: string): Promise<unknown>;
  /** Succeeds also when the account keeps no such conversation any more. */
  forget(conversationId: string): Promise<unknown>;
  /** Told the ids of all conversations that the account has, whenever they change. */
  onKept(ids: readonly string[]): void;
  /** Told what failed, and null when something succeeded. */
  onOutcome(error: unknown): void;
}

export const settingsName = 'settings';

/** What the account has of the playground, as far as this tab knows, and what brings it up to date: one thing after the other. */
export class AccountCopy {
  #settings: string | null = null;
  #conversations = new Map<string, Conversation<Turn>>();
  #work: Promise<void> = Promise.resolve();

  constructor(private readonly calls: AccountCalls) {}

  /** Notes what the account has. @param settings As text. */
  hold(conversations: readonly Conversation<Turn>[], settings: string | null): void {
    this.#settings = settings;
    this.#conversations = new Map(conversations.map((one) => [one.id, one]));
    this.#tell();
  }

  /** Has the account keep what the tab has now, and forget what the tab has no more. What fails is tried again at the next change. */
  follow(settings: PlaygroundSettings, { all }: Conversations<Turn>): void {
    const text = JSON.stringify(settings);
    if (text !== this.#settings) this.#saveSettings(text);
    const gone = [...this.#conversations.keys()].filter((id) => !all.some((one) => one.id === id));
    for (const id of gone) this.#forget(id);
    // The account forgets what was saved longest ago, so the newest comes last.
    for (const conversation of [...all].reverse()) this.#save(conversation);
  }

  /** Ends once everything that was begun is done. */
  whenDone(): Promise<void> {
    return this.#work;
  }

  #saveSettings(text: string): void {
    this.#settings = text;
    this.#begin(
      () => this.calls.save('PLAYGROUND_SETTINGS', settingsName, text),
      () => {
        this.#settings = null;
      },
    );
  }

  #save(conversation: Conversation<Turn>): void {
    const { id } = conversation;
    if (this.#conversations.get(id) === conversation) return;
    const content = writeConversation(conversation);
    if (content === null) return;
    this.#conversations.set(id, conversation);
    this.#begin(
      () => this.calls.save('CONVERSATION', id, content),
      () => this.#conversations.delete(id),
    );
  }

  #forget(id: string): void {
    const conversation = this.#conversations.get(id);
    this.#conversations.delete(id);
    this.#begin(
      () => this.calls.forget(id),
      () => conversation && this.#conversations.set(id, conversation),
    );
  }

  #begin(work: () => Promise<unknown>, undo: () => void): void {
    const session = currentSession();
    this.#work = this.#work.then(async () => {
      // By now somebody else may be signed in, whose account must not have it.
      if (session !== currentSession()) return;
      try {
        await work();
        this.calls.onOutcome(null);
      } catch (error) {
        undo();
        this.calls.onOutcome(error);
      }
      this.#tell();
    });
  }

  #tell(): void {
    this.calls.onKept([...this.#conversations.keys()]);
  }
}
