import { closeInOrder } from './close-in-order.js';

describe('closeInOrder', () => {
  const failed: unknown[] = [];
  const logger = {
    info: () => {},
    warn: () => {},
    error: (event: string, fields?: object) => failed.push({ event, ...fields }),
  };
  const timeoutMs = 10_000;
  beforeEach(() => failed.splice(0));

  it('closes a stage once all of the one before is closed', async () => {
    const closed: string[] = [];
    const first = async () => {
      await new Promise(setImmediate);
      closed.push('first');
    };
    const stages = [{ first }, { second: () => closed.push('second') }].map((steps) => ({ steps, timeoutMs }));
    await closeInOrder(stages, logger);
    expect(closed).toEqual(['first', 'second']);
    expect(failed).toEqual([]);
  });

  it('closes what is in a stage side by side, so that many that take long take no longer than one', async () => {
    let openCount = 3;
    let letGo = () => {};
    const allAtOnce = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const close = async () => {
      openCount -= 1;
      if (openCount === 0) letGo();
      await allAtOnce;
    };
    await closeInOrder([{ steps: { a: close, b: close, c: close }, timeoutMs }], logger);
    expect(failed).toEqual([]);
  });

  it('closes what stands beside and behind a step that fails, at once or later, or that does not end, and says which did', async () => {
    const closed: string[] = [];
    const steps = {
      atOnce: () => {
        throw new Error('one');
      },
      later: () => Promise.reject(new Error('two')),
      never: () => new Promise(() => {}),
      beside: () => closed.push('beside'),
    };
    await closeInOrder(
      [
        { steps, timeoutMs: 10 },
        { steps: { last: () => closed.push('last') }, timeoutMs },
      ],
      logger,
    );
    expect(closed).toEqual(['beside', 'last']);
    expect(failed).toMatchObject([
      { event: 'close_failed', what: 'atOnce', error: { message: 'one' } },
      { event: 'close_failed', what: 'later', error: { message: 'two' } },
      { event: 'close_failed', what: 'never', error: { message: 'It was not closed within 0.01 s.' } },
    ]);
  });
});
