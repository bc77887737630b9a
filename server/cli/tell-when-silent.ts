/** So long nothing is heard of work before it is said that it goes on. */
const silentMsMax = 30_000;
/** A timer may come a little early by another clock. */
const earlyMs = 100;

/**
 * For work that may take as long as it needs, so that nothing bounds its waits: says each half minute in which nothing else was said for how
 * long that is, and where to look.
 * @param work Says what it has to say by what it is given.
 */
export async function tellWhenSilent<Result>(
  work: (tell: (line: string) => void) => Promise<Result>,
  print: (line: string) => void = (line) => console.error(line),
): Promise<Result> {
  let heardMs = performance.now();
  const tell = (line: string) => {
    heardMs = performance.now();
    print(line);
  };
  const timer = setInterval(() => {
    const silentMs = performance.now() - heardMs;
    if (silentMs >= silentMsMax - earlyMs) print(describe(silentMs));
  }, silentMsMax);
  try {
    return await work(tell);
  } finally {
    clearInterval(timer);
  }
}

function describe(silentMs: number): string {
  return `Still at work, with nothing to say for ${Math.round(silentMs / 1_000)} s now. On MySQL and MariaDB, SHOW FULL PROCESSLIST says what the database does for it, and for whom it waits.`;
}
