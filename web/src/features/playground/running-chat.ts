import { serverPaths } from '../../app/paths';
import { messagesFor } from '../../lib/playground/answer-groups';
import { askModel, ChatError } from '../../lib/playground/ask-model';
import type { Turn } from '../../lib/playground/turn';
import { onSessionEnd } from '../../lib/session/session-end';
import type { PlaygroundSettings } from './playground-settings';

/** Each time draws all of an answer anew, and words come faster than that can be done. */
const toldEveryMs = 50;

interface Run {
  readonly settings: PlaygroundSettings;
  /** Who is asked, instead of the model that the settings name. */
  readonly models: readonly string[];
  /** The conversation up to the question. */
  readonly asked: readonly Turn[];
  /** Told all answers when the last has ended, before they are no longer among those that arrive. */
  readonly onAnswers: (answers: readonly Turn[]) => void;
}

/**
 * The answers that arrive in this tab. They go on while another page is shown, since they are paid for, and whoever comes back finds
 * them here. The end of the session stops them.
 */
export class RunningChat {
  #arriving: readonly Turn[] = [];
  #controller: AbortController | null = null;
  /** Running while somebody has yet to be told of the newest words. */
  #telling: number | undefined;
  readonly #listeners = new Set<() => void>();

  /** One for each model that was asked; none when nobody is being asked. */
  readonly arriving = (): readonly Turn[] => this.#arriving;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly stop = (): void => this.#controller?.abort();

  /** Asks each model; one that fails says so in its answer. @throws ChatError `unauthenticated` when nobody is signed in. */
  async ask({ settings, models, asked, onAnswers }: Run): Promise<void> {
    const controller = new AbortController();
    this.#controller = controller;
    const { signal } = controller;
    const forgetEnd = onSessionEnd(() => controller.abort());
    const answers = new Map<string, Turn>();
    const show = (model: string, change: Partial<Turn>) => {
      // One that another's failure has ended says no more.
      if (this.#controller !== controller) return;
      const before = answers.get(model) ?? { role: 'assistant', content: '', model };
      answers.set(model, { ...before, ...change });
      this.#arriving = [...answers.values()];
      this.#telling ??= window.setTimeout(this.#tell, toldEveryMs);
    };
    const askOne = async (model: string) => {
      try {
        const figures = await askModel({
          url: serverPaths.playgroundChat(),
          settings: { ...settings, model },
          messages: messagesFor(model, asked),
          signal,
          onCall: (callId) => show(model, { callId }),
          onText: (text) => show(model, { content: answers.get(model)?.content + text }),
        });
        show(model, { figures });
      } catch (error) {
        if (error instanceof ChatError && error.code === 'unauthenticated') throw error;
        show(model, signal.aborted ? { isStopped: true } : faultOf(error));
      }
    };
    for (const model of models) show(model, {});
    this.#tell();
    try {
      await Promise.all(models.map(askOne));
      onAnswers([...answers.values()]);
    } finally {
      controller.abort();
      forgetEnd();
      this.#controller = null;
      this.#arriving = [];
      this.#tell();
    }
  }

  readonly #tell = (): void => {
    window.clearTimeout(this.#telling);
    this.#telling = undefined;
    for (const listener of [...this.#listeners]) listener();
  };
}

function faultOf(error: unknown): Pick<Turn, 'fault' | 'faultCode'> {
  if (error instanceof ChatError) return { fault: error.message, faultCode: error.code };
  return { fault: 'Something went wrong on this page. The receipt shows what was charged.' };
}
