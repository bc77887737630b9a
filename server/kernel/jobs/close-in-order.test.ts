import { closeInOrder } from './close-in-order.js';

describe('closeInOrder', () => {
  const failed: unknown[] = [];
  const logger = {
    info: () => {},
    warn: () => {},
    error: (event: string, fields?: object) => failed.push({ event, ...fields }),
  };
  beforeEach(() => failed.splice(0));

  it('closes one after the other', async () => {
    const closed: string[] = [];
    const first = async () => {
      await new Promise(setImmediate);
      closed.push('first');
    };
    await closeInOrder({ first, second: () => closed.push('second') }, logger);
    expect(closed).toEqual(['first', 'second']);
    expect(failed).toEqual([]);
  });

  it('closes what stands behind a step that fails, at once or later, or that does not end, and says which did', async () => {
    const closed: string[] = [];
    const steps = {
      atOnce: () => {
        throw new Error('one');
      },
      later: () => Promise.reject(new Error('two')),
      never: () => new Promise(() => {}),
      last: () => closed.push('last'),
    };
    await closeInOrder(steps, logger, 10);
    expect(closed).toEqual(['last']);
    expect(failed).toMatchObject([
      { event: 'close_failed', what: 'atOnce', error: { message: 'one' } },
      { event: 'close_failed', what: 'later', error: { message: 'two' } },
      { event: 'close_failed', what: 'never', error: { message: 'It was not closed within 0.01 s.' } },
    ]);
  });
});
