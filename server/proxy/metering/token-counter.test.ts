import { readFileSync } from 'node:fs';
import { silentLogger } from '../../kernel/logger.js';
import { eventually } from '../../test/eventually.js';
import { TokenCounter, type TokenCounterOptions } from './token-counter.js';

const patientMs = 60_000;

/** A thread that counts characters, and does what it is told by its first text: `die`, or `wait` for that many milliseconds. */
const obedientThread = `
import { parentPort } from 'node:worker_threads';
parentPort.on('message', ([order, ...texts]) => {
  if (order === 'die') process.exit(1);
  if (order === 'throw') throw new Error('as told');
  const reply = () => parentPort.postMessage([order, ...texts].map((text) => text.length));
  if (order.startsWith('wait')) setTimeout(reply, Number(order.slice(5)));
  else reply();
});`;
const program = new URL(`data:text/javascript,${encodeURIComponent(obedientThread)}`);

describe('TokenCounter', () => {
  const counters: TokenCounter[] = [];
  const open = (options: Partial<TokenCounterOptions> = {}) => {
    const counter = new TokenCounter({ logger: silentLogger, deadlineMs: patientMs, ...options });
    counters.push(counter);
    return counter;
  };
  afterEach(async () => {
    for (const counter of counters.splice(0)) await counter.close();
  });

  it('counts as OpenAI’s tokenizer does, each text by itself, and always the same', async () => {
    const counter = open();
    const texts = ['Hello from upstream', '', 'Grüße aus Köln 🙂', '<|endoftext|>'];
    const counts = await counter.count(texts);
    expect(counts).toEqual([3, 0, 6, 7]);
    expect(await counter.count(texts)).toEqual(counts);
    expect(await open().count(texts)).toEqual(counts);
    expect(counter.givenUpCount).toBe(0);
  });

  it.each([
    ['one letter', 'a'],
    ['spaces', ' '],
    ['newlines', '\n'],
    ['exclamation marks', '!'],
    ['a pictogram', '🙂'],
    ['a Chinese character', '汉'],
    ['half a character', '\ud800'],
    ['NUL', '\0'],
    ['combining marks', 'a\u0301\u0302\u0303'],
  ])('a hundred thousand of %s are counted, as more than none and at most a token a byte', async (_, unit) => {
    const text = unit.repeat(100_000);
    const [tokens] = (await open().count([text])) ?? [];
    expect(tokens).toBeGreaterThan(0);
    expect(tokens).toBeLessThanOrEqual(Buffer.byteLength(text));
  });

  it('leaves the event loop alone while it counts the slowest text there is', async () => {
    let state = 1;
    const randomLetter = () => {
      state = (state * 48_271) % 2_147_483_647;
      return String.fromCharCode(97 + (state % 26));
    };
    const unbroken = Array.from({ length: 500_000 }, randomLetter).join('');
    const counting = open().count([unbroken]);
    let isCounting = true;
    let turns = 0;
    void counting.finally(() => {
      isCounting = false;
    });
    while (isCounting) {
      turns += 1;
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await counting).toHaveLength(1);
    // On this thread it would be one turn.
    expect(turns).toBeGreaterThan(50);
  });

  it('is told null when the thread dies; the next one gets a new thread', async () => {
    const counter = open({ program });
    const [first, killed, thrown, after] = await Promise.all(
      ['one', 'die', 'throw', 'three'].map((text) => counter.count([text])),
    );
    expect([first, killed, thrown, after]).toEqual([[3], null, null, [5]]);
    expect(await counter.count(['again'])).toEqual([5]);
    expect(counter.givenUpCount).toBe(2);
  });

  it('gives up at the deadline, and serves those who come later', async () => {
    const counter = open({ program, deadlineMs: 50 });
    expect(await counter.count(['wait 300'])).toBeNull();
    const patient = open({ program });
    expect(await Promise.all([patient.count(['wait 300']), patient.count(['ok'])])).toEqual([[8], [2]]);
    await eventually(async () => (await counter.count(['ok'])) !== null);
  });

  it('takes so many characters into its queue, however many ask, and of short texts four times as many', async () => {
    const counter = open({ program, waitingCharactersMax: 40_000 });
    const first = counter.count(['wait 100']);
    const long = Array.from({ length: 4 }, () => counter.count(['x'.repeat(20_000)]));
    // What is shorter comes first, and does not wait for what is long.
    const short = Array.from({ length: 24 }, () => counter.count(['x'.repeat(8_000)]));
    expect(await first).toEqual([8]);
    expect(await Promise.all(long)).toEqual([[20_000], [20_000], [20_000], null]);
    expect(await Promise.all(short)).toEqual(short.map((_, index) => (index <= 20 ? [8_000] : null)));
  });

  it('has whoever asks wait as long as what stands before them may take', async () => {
    const counter = open({ program, deadlineMs: 100 });
    const slow = counter.count(['wait 400']);
    const alone = counter.count(['ok']);
    // So many pieces that their own time is seconds beyond that of the one before, on any machine.
    const long = 'x'.repeat(3 * 1024 * 1024);
    const behind = counter.count([long]);
    const atOnce = counter.count([long], 100);
    expect(await Promise.all([slow, alone, behind, atOnce])).toEqual([null, null, [long.length], null]);
  });

  it('tells null at once while the system gives no thread, and counts again as soon as it does', async () => {
    // Of no scheme that a thread has, it is refused in the same place.
    const changing = new URL('http://nowhere.test/');
    const counter = open({ program: changing });
    expect(await Promise.all([counter.count(['one']), counter.count(['three'])])).toEqual([null, null]);
    changing.href = program.href;
    expect(await counter.count(['one'])).toEqual([3]);
  });

  it('once closed, tells everybody null', async () => {
    const counter = open({ program });
    const waiting = [counter.count(['wait 60000']), counter.count(['a'])];
    await counter.close();
    expect(await Promise.all(waiting)).toEqual([null, null]);
    expect(await counter.count(['b'])).toBeNull();
  });

  it('the tokenizer is loaded by its thread alone', () => {
    const source = readFileSync(new URL('./token-counter.js', import.meta.url), 'utf8');
    expect(source).not.toContain('gpt-tokenizer');
  });
});
