import type { LookupAddress, LookupAllOptions, LookupOptions } from 'node:dns';
import { type Clock, systemClock } from '../clock.js';
import type { Logger } from '../logger.js';
import { loopbackName } from './loopback.js';

/** `dns.lookup`, asked for all addresses of a name: the system's getaddrinfo, in a thread that it holds until it has an answer. */
export type AskSystem = (name: string, options: LookupAllOptions, told: Told) => void;

/** Told once, later: every address, at least one, or why there is none. */
export type Told = (error: NodeJS.ErrnoException | null, addresses: readonly LookupAddress[]) => void;

export interface SystemNamesParts {
  readonly askSystem: AskSystem;
  readonly logger: Logger;
  /** How many look-ups the system has threads for. */
  readonly threads: number;
  /** After so long a look-up is slow: last addresses are used, and who still waits for a thread is refused. */
  readonly slowMs: number;
  readonly clock?: Clock;
  /** Runs something later. @returns what calls that off. */
  readonly later?: (run: () => void, afterMs: number) => () => void;
}

/** What is asked of the system: a name, with options under which it has one answer. */
interface Question {
  readonly name: string;
  readonly options: LookupAllOptions;
  readonly waiting: Set<Waiting>;
  /** When a thread took it up; null: none has. */
  begunMs: number | null;
  /** The last good answer, and when it came. */
  addresses: readonly LookupAddress[];
  foundMs: number;
  /** Whether its last look-up was slow, whatever came of it. */
  wasSlow: boolean;
  /** Why its last look-up failed, where it was slow; it is not asked again until `restsUntilMs`. */
  failure: NodeJS.ErrnoException | null;
  restsUntilMs: number;
}

interface Waiting {
  readonly told: Told;
  readonly callOff: () => void;
}

// Both as RFC 8767 recommends for answers that are stale: a failure is checked again after 30 seconds at the earliest, and none is used
// for longer than a day, since an address is given to somebody else in the end.
const restMs = 30_000;
const keptMsMax = 24 * 60 * 60_000;
/** Names come from settings, and from servers that settings name. */
const questionsMax = 1_000;

/**
 * Finds names as getaddrinfo does, so that none of them, however long its name servers take, keeps others from being found:
 *
 * - A question that is asked twice at once is asked of the system once, and of a name one question at a time.
 * - Names whose last look-up was slow hold one thread between them, and only where no other name waits. One that failed slowly rests for
 *   30 seconds.
 * - Where no answer comes in `slowMs`, or only an error, the last good addresses are used, for a day. "There is no such name" is an answer.
 * - A question that no thread has taken up in `slowMs`, and that has no addresses, is refused with `EAGAIN`: a shortage of this machine,
 *   and no fault of the name. One that was taken up waits for the system, or for as long as who asks does.
 *
 * Keeps a thousand questions in memory, and forgets the one that was not asked for the longest time.
 */
export class SystemNames {
  readonly #parts: Required<SystemNamesParts>;
  /** The one that was asked last stands last. */
  readonly #questions = new Map<string, Question>();
  readonly #queue = new Set<Question>();
  readonly #running = new Set<Question>();

  constructor(parts: SystemNamesParts) {
    this.#parts = { clock: systemClock, later: runLater, ...parts };
  }

  find(name: string, options: LookupOptions, told: Told): void {
    if (name.toLowerCase() === loopbackName) {
      tellLater(told, listLoopback(options.family));
      return;
    }
    const question = this.#open(name, { ...options, all: true });
    if (question === null) {
      tellLater(told, createShortage(name));
      return;
    }
    const kept = this.#listKept(question);
    if (this.#isResting(question) || (kept !== null && this.#isSlow(question))) {
      tellLater(told, kept ?? (question.failure as NodeJS.ErrnoException));
      return;
    }
    const waiting: Waiting = {
      told,
      callOff: this.#parts.later(() => this.#tellSlow(question, waiting), this.#parts.slowMs),
    };
    question.waiting.add(waiting);
    if (question.begunMs === null) this.#queue.add(question);
    this.#beginAll();
  }

  #open(name: string, options: LookupAllOptions): Question | null {
    const { family, hints, order, verbatim } = options;
    const key = JSON.stringify([name.toLowerCase(), family, hints, order, verbatim]);
    const known = this.#questions.get(key);
    const question = known ?? createQuestion(name, options);
    if (known === undefined && !this.#makeRoom()) return null;
    this.#questions.delete(key);
    this.#questions.set(key, question);
    return question;
  }

  #makeRoom(): boolean {
    if (this.#questions.size < questionsMax) return true;
    for (const [key, question] of this.#questions) {
      if (this.#queue.has(question) || this.#running.has(question)) continue;
      return this.#questions.delete(key);
    }
    return false;
  }

  #beginAll(): void {
    for (let next = this.#findNext(); next !== null; next = this.#findNext()) this.#begin(next);
  }

  /** Names with an answer first, so that they stay found; then those that were never asked; then, one at a time, the slow ones. */
  #findNext(): Question | null {
    if (this.#running.size >= this.#parts.threads) return null;
    const running = [...this.#running];
    const isOneSlow = running.some((question) => question.wasSlow || this.#isSlow(question));
    const allowed = [...this.#queue].filter(
      ({ name, wasSlow }) => !(wasSlow && isOneSlow) && !running.some((other) => other.name === name),
    );
    const quick = allowed.filter(({ wasSlow }) => !wasSlow);
    return quick.find(({ addresses }) => addresses.length > 0) ?? quick[0] ?? allowed[0] ?? null;
  }

  #begin(question: Question): void {
    this.#queue.delete(question);
    this.#running.add(question);
    question.begunMs = this.#parts.clock.elapsedMs();
    const ended: Told = (error, addresses) => this.#end(question, error, addresses);
    try {
      this.#parts.askSystem(question.name, question.options, ended);
    } catch (error) {
      // Options that the system does not know.
      process.nextTick(ended, error as NodeJS.ErrnoException, []);
    }
  }

  #end(question: Question, error: NodeJS.ErrnoException | null, addresses: readonly LookupAddress[]): void {
    const { logger, clock } = this.#parts;
    const wasFailing = question.failure !== null;
    question.wasSlow = this.#isSlow(question);
    question.begunMs = null;
    this.#running.delete(question);
    question.failure = question.wasSlow ? error : null;
    if (error === null) {
      question.addresses = addresses;
      question.foundMs = clock.elapsedMs();
    } else if (error.code === 'ENOTFOUND') question.addresses = [];
    const kept = this.#listKept(question);
    if (question.failure !== null) question.restsUntilMs = clock.elapsedMs() + restMs;
    const { name } = question;
    if (question.failure !== null && !wasFailing) {
      logger.warn('name_not_answered', { name, errorCode: question.failure.code, usesLastAddresses: kept !== null });
    }
    if (wasFailing && error === null) logger.warn('name_answered_again', { name });
    for (const waiting of [...question.waiting]) this.#tell(question, waiting, kept ?? (error as Error));
    this.#beginAll();
  }

  #tellSlow(question: Question, waiting: Waiting): void {
    const kept = this.#listKept(question);
    if (kept !== null) this.#tell(question, waiting, kept);
    else if (question.begunMs === null) {
      this.#tell(question, waiting, question.failure ?? createShortage(question.name));
    }
  }

  #tell(question: Question, waiting: Waiting, answer: readonly LookupAddress[] | Error): void {
    waiting.callOff();
    question.waiting.delete(waiting);
    tellLater(waiting.told, answer);
  }

  #listKept({ addresses, foundMs }: Question): readonly LookupAddress[] | null {
    const ageMs = this.#parts.clock.elapsedMs() - foundMs;
    return addresses.length > 0 && ageMs < keptMsMax ? addresses : null;
  }

  #isResting({ failure, restsUntilMs }: Question): boolean {
    return failure !== null && this.#parts.clock.elapsedMs() < restsUntilMs;
  }

  #isSlow({ begunMs }: Question): boolean {
    return begunMs !== null && this.#parts.clock.elapsedMs() - begunMs >= this.#parts.slowMs;
  }
}

function createQuestion(name: string, options: LookupAllOptions): Question {
  const none = { begunMs: null, addresses: [], foundMs: 0, wasSlow: false, failure: null, restsUntilMs: 0 };
  return { name, options, waiting: new Set(), ...none };
}

function listLoopback(family: LookupOptions['family']): readonly LookupAddress[] {
  const both = [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ];
  const wanted = Number(String(family ?? 0).replace('IPv', ''));
  return wanted === 0 ? both : both.filter((one) => one.family === wanted);
}

function createShortage(name: string): NodeJS.ErrnoException {
  const message = `getaddrinfo EAGAIN ${name}: other names hold all threads that could look it up`;
  return Object.assign(new Error(message), { code: 'EAGAIN', syscall: 'getaddrinfo', hostname: name });
}

// Each in a turn of its own: who throws keeps nobody else from hearing. Whoever is told may change what it is told, an error above all.
function tellLater(told: Told, answer: readonly LookupAddress[] | Error): void {
  process.nextTick(() => {
    if (answer instanceof Error) told(Object.assign(new Error(answer.message), answer), []);
    else told(null, structuredClone(answer));
  });
}

function runLater(run: () => void, afterMs: number): () => void {
  const timer = setTimeout(run, afterMs);
  return () => clearTimeout(timer);
}
