import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { findRepositoryRoot } from '../../server/test/architecture/source-tree.js';

/** One request as the double understood it: other providers' forms are brought into OpenAI's. */
export interface JournalEntry {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: {
    readonly model?: string;
    readonly max_tokens?: number;
    readonly max_completion_tokens?: number;
    readonly messages: readonly { readonly role: string; readonly content: unknown }[];
    readonly tools?: readonly { readonly function: { readonly name: string; readonly parameters?: object } }[];
  };
  readonly response: { readonly status: number; readonly source?: string; readonly error?: string };
}

/** `aimock-process.mjs`, running. */
export class AimockDouble {
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
  ) {}

  static async start(): Promise<AimockDouble> {
    const file = join(findRepositoryRoot(import.meta.dirname), 'e2e/clients/aimock-process.mjs');
    const child = spawn(process.execPath, [file], {
      env: { PATH: process.env.PATH },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    for await (const url of createInterface({ input: child.stdout })) return new AimockDouble(child, url);
    throw new Error('The double did not start. Are the clients installed? `npm test` does it.');
  }

  /** Every request whose last user message ends with these words, oldest first. */
  async findRequests(words: string): Promise<readonly JournalEntry[]> {
    const response = await fetch(`${this.url}/__aimock/journal`);
    const entries = (await response.json()) as readonly JournalEntry[];
    return entries.filter(({ body }) => JSON.stringify(body?.messages?.at(-1)?.content ?? '').includes(words));
  }

  close(): void {
    this.child.kill();
  }
}
