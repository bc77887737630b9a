/** So long nothing is heard of work before it is said that it goes on. */
const silentMsMax = 30_000;

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
    if (silentMs >= silentMsMax) print(describe(silentMs));
  }, silentMsMax);
  try {
    return await work(tell);
  } finally {
    clearInterval(timer);
  }
}

function describe(silentMs: number): string {
  return `Still at work, and waits for the database for ${Math.round(silentMs / 1_000)} s now. On MySQL and MariaDB, SHOW FULL PROCESSLIST says what it does, and for whom it waits.`;
}
