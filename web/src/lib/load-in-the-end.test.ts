import { loadInTheEnd } from './load-in-the-end';

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
});
