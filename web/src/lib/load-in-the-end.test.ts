import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CodeMissingError, loadInTheEnd, loadSoon } from './load-in-the-end';

describe('Code that is shown outside of any page', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('is asked for again until it comes, and never fails', async () => {
    const answers = [new Error('offline'), new Error('offline'), 'the code'];
    const load = jest.fn(async () => {
      const answer = answers.shift();
      if (answer instanceof Error) throw answer;
      return answer;
    });
    const loaded = loadInTheEnd(load);
    await jest.advanceTimersByTimeAsync(10_000);
    await expect(loaded).resolves.toBe('the code');
    expect(load).toHaveBeenCalledTimes(3);
  });

  it('is asked for once a minute in the end, and said to be missing after the third try', async () => {
    const load = jest.fn(() => Promise.reject(new Error('gone')));
    const missing = jest.fn();
    void loadInTheEnd(load, missing);
    await jest.advanceTimersByTimeAsync(5_000);
    expect(missing).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(3_600_000);
    expect(load.mock.calls.length).toBeLessThan(70);
    expect(missing).toHaveBeenCalledTimes(1);
  });

  it('is given up after three tries where somebody waits for it', async () => {
    const load = jest.fn(() => Promise.reject(new Error('gone')));
    const loaded = loadSoon(load).catch((error: unknown) => error);
    await jest.advanceTimersByTimeAsync(10_000);
    expect(await loaded).toBeInstanceOf(CodeMissingError);
    expect(load).toHaveBeenCalledTimes(3);
  });
});

/** Each place that fetches code by itself, and why nothing is lost where the server has another release by then. */
const fetchers: Readonly<Record<string, readonly string[]>> = {
  'it is a whole page': ['app/pages.ts'],
  'nobody waits for it': ['app/providers.tsx', 'app/router.tsx', 'features/overview/use-live-balance.ts'],
  'it is told where it is missing, and nothing was done': [
    ...['app/shell.tsx', 'features/session/account-menu.tsx', 'features/session/fresh-proof.tsx'],
  ],
  'the dialog and all that it will show come together, before anything is changed': [
    ...['features/keys/keys-panel.tsx', 'features/settings/authenticator-app.tsx', 'features/settings/passkeys.tsx'],
  ],
  'it only shows, or fetches before it asks': [
    ...['features/playground/playground-page.tsx', 'features/overview/run-here.tsx'],
  ],
};

describe('Code that is fetched by itself', () => {
  it('is never what shows a change that was made, or lets one go on', () => {
    const root = join(__dirname, '..');
    const fetching = readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name) && !name.includes('.test.'))
      .filter((name) => /[^{]\bimport\(/.test(readFileSync(join(root, name), 'utf8')));
    expect(fetching.toSorted()).toEqual(Object.values(fetchers).flat().toSorted());
  });
});
