import { eventually, eventuallyFind } from './eventually.js';

describe('what becomes so in the end', () => {
  const limits = globalThis as { limitEndsAtMs?: number };

  it('is waited for, however often it has to be looked at', async () => {
    let looks = 0;
    const isSo = async () => {
      looks += 1;
      return looks === 5;
    };
    await eventually(isSo, 1);
    expect(looks).toBe(5);
  });

  it('is named when it does not come in the time that the test has', async () => {
    const rows: number[] = [];
    limits.limitEndsAtMs = performance.now() + 1_020;
    const error = await eventually(() => rows.length > 3).catch((thrown: Error) => thrown);
    expect(error).toMatchObject({ message: 'It did not become so: () => rows.length > 3' });
  });

  it('is handed over when it was something to be found, and named when it never was there', async () => {
    const rows: number[] = [];
    const found = eventuallyFind(() => rows[0], 1);
    rows.push(0);
    expect(await found).toBe(0);
    limits.limitEndsAtMs = performance.now() + 1_020;
    await expect(eventuallyFind(() => rows[1])).rejects.toThrow('It did not become so: () => rows[1]');
  });

  it('knows the limit that a test names for itself, and the one of all tests', async () => {
    expect(limits.limitEndsAtMs).toBeLessThan(performance.now() + 60_000 * 6);
    expect(limits.limitEndsAtMs).toBeGreaterThan(performance.now() + 10_000);
  });

  it('fails by what its check throws, at once', async () => {
    const check = () => {
      throw new Error('gone');
    };
    await expect(eventually(check)).rejects.toThrow('gone');
  });
});
