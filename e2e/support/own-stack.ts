import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeTestFolder } from '../../server/test/test-folder.js';
import { type LogLine, type Stack, startStack } from './start-stack.js';

type Settings = Readonly<Record<string, string>>;

/** A server on a SQLite file of its own, which goes with it. */
class OwnStack {
  readonly #folder = makeTestFolder('own-stack');
  readonly file = join(this.#folder, 'tollgate.db');
  #settings: Settings = {};
  #stack: Stack | null = null;
  #baseUrl = '';

  /** The same after a restart; without a slash at the end. */
  get baseUrl(): string {
    return this.#baseUrl;
  }

  /** What the server has logged since it was started last, oldest first. */
  get log(): readonly LogLine[] {
    return this.#stack?.log ?? [];
  }

  async start(settings: Settings): Promise<void> {
    this.#settings = settings;
    this.#stack = await startStack({ kind: 'sqlite', file: this.file }, settings);
    this.#baseUrl = this.#stack.baseUrl;
  }

  /** Starts it again where it was, with what it had. */
  async startAgain(): Promise<void> {
    const place = { PORT: new URL(this.#baseUrl).port, PUBLIC_URL: this.#baseUrl };
    this.#stack = await startStack({ kind: 'sqlite', file: this.file }, { ...this.#settings, ...place });
  }

  async stop(): Promise<void> {
    const stack = this.#stack;
    this.#stack = null;
    await stack?.stop();
  }

  removeFiles(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/**
 * A server for the tests of the `describe` that calls this: up before the first of them, gone after the last.
 * @param settings Asked for when it starts, so that a `beforeAll` further up may make what they name.
 */
export function useOwnStack(settings: () => Settings = () => ({})): OwnStack {
  const stack = new OwnStack();
  beforeAll(() => stack.start(settings()));
  afterAll(async () => {
    await stack.stop();
    stack.removeFiles();
  });
  return stack;
}
