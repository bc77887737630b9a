import type { LookupAddress } from 'node:dns';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { FakeClock } from '../clock.js';
import { SystemNames, type Told } from './system-names.js';

const slowMs = 1_000;
const at = (address: string): LookupAddress => ({ address, family: 4 });

/** The system with two threads for look-ups, of which each holds one until the test says how it ends. */
class FakeSystem {
  readonly asked: string[] = [];
  readonly #running: { readonly name: string; readonly told: Told }[] = [];

  readonly ask = (name: string, _options: object, told: Told): void => {
    this.asked.push(name);
    this.#running.push({ name, told });
    if (this.#running.length > 2) throw new Error('more look-ups than threads');
  };

  end(name: string, answer: string | Error): void {
    const index = this.#running.findIndex((one) => one.name === name);
    const [{ told } = { told: null }] = this.#running.splice(index, index < 0 ? 0 : 1);
    if (told === null) throw new Error(`nobody looks ${name} up`);
    if (typeof answer === 'string') told(null, [at(answer)]);
    else told(answer, []);
  }

  get running(): string[] {
    return this.#running.map(({ name }) => name);
  }
}

class Names {
  readonly system = new FakeSystem();
  readonly log: { readonly event: string; readonly fields: object | undefined }[] = [];
  readonly #clock = new FakeClock();
  readonly #timers = new Set<{ readonly atMs: number; readonly run: () => void }>();
  readonly #names: SystemNames;

  constructor(threads = 2) {
    const note = (event: string, fields?: object) => void this.log.push({ event, fields });
    const later = (run: () => void, afterMs: number) => {
      const timer = { atMs: this.#clock.elapsedMs() + afterMs, run };
      this.#timers.add(timer);
      return () => void this.#timers.delete(timer);
    };
    const logger = { info: note, warn: note, error: note };
    this.#names = new SystemNames({ askSystem: this.system.ask, logger, threads, slowMs, clock: this.#clock, later });
  }

  /** Asks for a name. @returns what reads the answer so far: addresses, the code of an error, or null. */
  find(name: string, options = {}): () => string | null {
    let answer: string | null = null;
    this.#names.find(name, options, (error, addresses) => {
      answer = error === null ? addresses.map(({ address }) => address).join() : (error.code ?? 'no code');
    });
    return () => answer;
  }

  async pass(durationMs: number): Promise<void> {
    this.#clock.advanceMs(durationMs);
    for (const timer of [...this.#timers]) {
      if (timer.atMs > this.#clock.elapsedMs()) continue;
      this.#timers.delete(timer);
      timer.run();
    }
    await nextTurn();
  }

  async end(name: string, answer: string | Error): Promise<void> {
    this.system.end(name, answer);
    await nextTurn();
  }

  async learn(name: string, address: string): Promise<void> {
    this.find(name);
    await this.end(name, address);
  }
}

const noAnswer = () => Object.assign(new Error('getaddrinfo EAI_AGAIN'), { code: 'EAI_AGAIN' });
const noSuchName = () => Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });

describe('a name', () => {
  it('is asked of the system once for all who want it at the same time, and anew for who comes later', async () => {
    const names = new Names();
    const found = [names.find('one.test'), names.find('one.test'), names.find('ONE.test')];
    await names.end('one.test', '192.0.2.1');
    expect(found.map((read) => read())).toEqual(Array(3).fill('192.0.2.1'));
    const later = names.find('one.test');
    await names.end('one.test', '192.0.2.2');
    expect([later(), names.system.asked]).toEqual(['192.0.2.2', ['one.test', 'one.test']]);
  });

  it('is asked one question at a time, each with its own answer', async () => {
    const names = new Names();
    const four = names.find('one.test', { family: 4 });
    const six = names.find('one.test', { family: 6 });
    expect(names.system.running).toEqual(['one.test']);
    await names.end('one.test', '192.0.2.1');
    await names.end('one.test', '192.0.2.6');
    expect([four(), six()]).toEqual(['192.0.2.1', '192.0.2.6']);
  });

  it('whose name servers fall silent has its last addresses after a second, at once while it rests, and new ones when they answer', async () => {
    const names = new Names();
    await names.learn('one.test', '192.0.2.1');
    const first = names.find('one.test');
    await names.pass(slowMs - 1);
    expect(first()).toBeNull();
    await names.pass(1);
    const second = names.find('one.test');
    await names.pass(0);
    expect([first(), second()]).toEqual(['192.0.2.1', '192.0.2.1']);
    await names.pass(9_000);
    await names.end('one.test', noAnswer());
    const resting = names.find('one.test');
    await names.pass(0);
    expect([resting(), names.system.running]).toEqual(['192.0.2.1', []]);
    await names.pass(30_000);
    await names.learn('one.test', '192.0.2.2');
    const fields = { name: 'one.test', errorCode: 'EAI_AGAIN', usesLastAddresses: true };
    expect(names.log).toEqual([
      { event: 'name_not_answered', fields },
      { event: 'name_answered_again', fields: { name: 'one.test' } },
    ]);
  });

  it('has its last addresses at once where name servers answer with an error', async () => {
    const names = new Names();
    await names.learn('one.test', '192.0.2.1');
    const found = names.find('one.test');
    await names.end('one.test', noAnswer());
    expect(found()).toBe('192.0.2.1');
  });

  it('has its last addresses for a day, and no longer', async () => {
    const names = new Names();
    await names.learn('one.test', '192.0.2.1');
    await names.pass(24 * 60 * 60_000 - 1);
    const last = names.find('one.test');
    await names.end('one.test', noAnswer());
    await names.pass(1);
    const tooLate = names.find('one.test');
    await names.end('one.test', noAnswer());
    expect([last(), tooLate()]).toEqual(['192.0.2.1', 'EAI_AGAIN']);
  });

  it('that is said not to exist has no addresses any more', async () => {
    const names = new Names();
    await names.learn('one.test', '192.0.2.1');
    const gone = names.find('one.test');
    await names.end('one.test', noSuchName());
    const later = names.find('one.test');
    await names.end('one.test', noAnswer());
    expect([gone(), later()]).toEqual(['ENOTFOUND', 'EAI_AGAIN']);
  });

  it('that was never found waits for the system once a thread has taken it up, and is refused at once while it rests', async () => {
    const names = new Names();
    const first = names.find('dead.test');
    await names.pass(9_000);
    expect(first()).toBeNull();
    await names.end('dead.test', noAnswer());
    const second = names.find('dead.test');
    await names.pass(0);
    expect([first(), second(), names.system.asked]).toEqual(['EAI_AGAIN', 'EAI_AGAIN', ['dead.test']]);
  });

  it('that is slow, and not dead, is found each time', async () => {
    const names = new Names();
    for (const address of ['192.0.2.1', '192.0.2.2']) {
      const found = names.find('slow.test');
      await names.pass(3_000);
      await names.end('slow.test', address);
      expect(found()).toBe('192.0.2.1');
    }
    expect(names.system.asked).toHaveLength(2);
  });

  it('of this machine is found without the system, by IPv4 first', async () => {
    const names = new Names();
    const found = [
      names.find('localhost'),
      names.find('LocalHost', { family: 6 }),
      names.find('localhost', { family: 4 }),
    ];
    await nextTurn();
    expect(found.map((read) => read())).toEqual(['127.0.0.1,::1', '::1', '127.0.0.1']);
    expect(names.system.asked).toEqual([]);
  });
});

describe('three names that nobody answers', () => {
  const dead = ['dead-1.test', 'dead-2.test', 'dead-3.test'];

  it('keep nobody from a name that was found before, and a new one for no longer than two of them hang once', async () => {
    const names = new Names();
    await names.learn('known.test', '192.0.2.1');
    for (const name of dead) names.find(name);
    const [known, fresh] = [names.find('known.test'), names.find('new.test')];
    await names.pass(slowMs);
    // Refused as a shortage of ours, since no thread has taken it up.
    expect([known(), fresh()]).toEqual(['192.0.2.1', 'EAGAIN']);
    await names.pass(9_000);
    await names.end('dead-1.test', noAnswer());
    // Names that are known go first.
    expect(names.system.running).toEqual(['dead-2.test', 'known.test']);
    await names.end('known.test', '192.0.2.1');
    await names.end('dead-2.test', noAnswer());
    const again = names.find('new.test');
    await names.end('new.test', '192.0.2.2');
    expect(again()).toBe('192.0.2.2');
  });

  it('hold one thread between them from the second time on, and that only where nobody else waits', async () => {
    const names = new Names();
    for (const name of dead) names.find(name);
    for (const name of dead) {
      await names.pass(9_000);
      await names.end(name, noAnswer());
    }
    await names.pass(40_000);
    for (const name of dead) names.find(name);
    expect(names.system.running).toEqual(['dead-1.test']);
    const fresh = names.find('new.test');
    await names.end('new.test', '192.0.2.2');
    expect([fresh(), names.system.running]).toEqual(['192.0.2.2', ['dead-1.test']]);
    await names.pass(9_000);
    names.find('other.test');
    await names.end('dead-1.test', noAnswer());
    await names.end('other.test', '192.0.2.3');
    expect(names.system.running).toEqual(['dead-2.test']);
  });

  it('are refused by their own last error, and not as a shortage, where no thread is free for them', async () => {
    const names = new Names();
    for (const name of dead) names.find(name);
    for (const name of dead) {
      await names.pass(9_000);
      await names.end(name, noAnswer());
    }
    await names.pass(40_000);
    const found = dead.map((name) => names.find(name));
    await names.pass(slowMs);
    expect(found.map((read) => read())).toEqual([null, 'EAI_AGAIN', 'EAI_AGAIN']);
  });

  it('keep nobody for ever from the only thread there is', async () => {
    const names = new Names(1);
    for (const name of dead) names.find(name);
    const fresh = names.find('new.test');
    for (const name of dead) {
      await names.pass(9_000);
      await names.end(name, noAnswer());
    }
    await names.end('new.test', '192.0.2.2');
    const again = names.find('new.test');
    await names.end('new.test', '192.0.2.2');
    expect([fresh(), again()]).toEqual(['EAGAIN', '192.0.2.2']);
  });
});

describe('more than a thousand names', () => {
  it('are remembered as far as they were asked for last, and refused where all of them hang', async () => {
    const names = new Names();
    await names.learn('first.test', '192.0.2.1');
    for (let index = 0; index < 1_000; index += 1) await names.learn(`n${index}.test`, '192.0.2.2');
    const forgotten = names.find('first.test');
    await names.end('first.test', noAnswer());
    expect(forgotten()).toBe('EAI_AGAIN');
    for (let index = 0; index < 1_000; index += 1) names.find(`m${index}.test`);
    const refused = names.find('one-more.test');
    await names.pass(0);
    expect(refused()).toBe('EAGAIN');
  });
});
