import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { findRepositoryRoot } from '../../server/test/architecture/source-tree.js';

/** Each client, by the wire that it speaks. */
export const wireOf = {
  openai: 'chat',
  'ai-sdk': 'chat',
  langchain: 'chat',
  'openai-responses': 'responses',
  'ai-sdk-openai': 'responses',
  anthropic: 'messages',
  'ai-sdk-anthropic': 'messages',
} as const;
export type ClientName = keyof typeof wireOf;
export const clientNames = Object.keys(wireOf) as readonly ClientName[];

/** Those that can run a loop of tools by themselves. */
export type LoopingClient = Exclude<ClientName, 'openai' | 'ai-sdk' | 'langchain'> | 'openai-agents';

/** One question, in the terms that every client can be asked in. */
export interface Question {
  readonly client: ClientName | LoopingClient | 'openrouter';
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly model: string;
  readonly text: string;
  readonly isStreamed: boolean;
  readonly maxTokens?: number;
  readonly offersTools?: boolean;
  readonly wantsJson?: boolean;
  readonly sendsImage?: boolean;
  /** Vectors of these texts are asked for in place of an answer. */
  readonly embeds?: readonly string[];
  /** The user wants to read the thinking. */
  readonly wantsReasoning?: boolean;
  /** The user's program answers the model's calls until it calls no more. */
  readonly runsTools?: boolean;
  /** What `@ai-sdk/openai` calls so: the user trusts in no store of the server. */
  readonly storesNothing?: boolean;
  /** The user leaves after so many pieces of text. */
  readonly leaveAfterPieces?: number;
}

/** What a client let its user see. */
export interface Seen {
  readonly text: string;
  readonly reasoning: string;
  readonly refusal: string;
  readonly toolCalls: readonly { readonly name: string; readonly arguments: unknown }[];
  readonly finishReason: string | null;
  readonly totalTokens: number | null;
  /** Where vectors were asked for. */
  readonly vectors?: readonly (readonly number[])[];
  readonly error: { name: string; message: string; status: number | null; code: string | null } | null;
}

const folder = join(findRepositoryRoot(import.meta.dirname), 'e2e/clients');

/** Drives the real clients, which run in a process of their own. */
export class ClientDriver {
  readonly #waiting = new Map<number, (seen: Seen) => void>();
  readonly #child: ChildProcessWithoutNullStreams;
  #lastId = 0;

  constructor() {
    if (!existsSync(join(folder, 'node_modules/openai'))) {
      throw new Error('The clients are not installed. `npm test` does it, or: npm ci --prefix e2e/clients');
    }
    this.#child = spawn(process.execPath, [join(folder, 'client-process.mjs')], { env: { PATH: process.env.PATH } });
    this.#child.stderr.pipe(process.stderr);
    createInterface({ input: this.#child.stdout }).on('line', (line) => {
      const { id, seen } = JSON.parse(line) as { id: number; seen: Seen };
      this.#waiting.get(id)?.(seen);
      this.#waiting.delete(id);
    });
  }

  /** @param leaving Aborted when the user of this question goes away. */
  ask(question: Question, leaving?: AbortSignal): Promise<Seen> {
    this.#lastId += 1;
    const id = this.#lastId;
    const answered = new Promise<Seen>((resolve) => this.#waiting.set(id, resolve));
    this.#send({ id, ...question });
    leaving?.addEventListener('abort', () => this.#send({ id, leave: true }));
    return answered;
  }

  close(): void {
    this.#child.kill();
  }

  #send(order: object): void {
    this.#child.stdin.write(`${JSON.stringify(order)}\n`);
  }
}
