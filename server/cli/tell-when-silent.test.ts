import { mock } from 'node:test';
import { tellWhenSilent } from './tell-when-silent.js';

describe('work of a program that may take long', () => {
  afterEach(() => {
    mock.timers.reset();
    mock.restoreAll();
  });

  it('says each half minute in which nothing else was said that it waits, and nothing after its end', async () => {
    let nowMs = 0;
    mock.timers.enable({ apis: ['setInterval'] });
    mock.method(performance, 'now', () => nowMs);
    const pass = (ms: number) => {
      nowMs += ms;
      mock.timers.tick(ms);
    };
    const lines: string[] = [];
    let say: (line: string) => void = () => {};
    let end: (result: string) => void = () => {};
    const work = tellWhenSilent(
      (tell) => {
        say = tell;
        return new Promise<string>((resolve) => {
          end = resolve;
        });
      },
      (line) => void lines.push(line),
    );
    pass(31_000);
    pass(30_000);
    say('account: 5 rows copied');
    pass(30_000);
    // As a migration does, each half minute.
    say('it has been under way for 60 s');
    pass(30_000);
    say('it has been under way for 90 s');
    pass(31_000);
    pass(31_000);
    expect(lines).toEqual([
      expect.stringMatching(/^Still at work, with nothing to say for 31 s now\. .*SHOW FULL PROCESSLIST/),
      'account: 5 rows copied',
      'it has been under way for 60 s',
      'it has been under way for 90 s',
      expect.stringContaining('for 31 s now'),
      expect.stringContaining('for 62 s now'),
    ]);
    end('done');
    expect(await work).toBe('done');
    pass(60_000);
    expect(lines).toHaveLength(6);
  });
});
