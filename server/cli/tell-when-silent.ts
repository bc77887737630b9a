/** So long nothing is heard of work before it is said that it goes on. More than the half minute in which a migration says so itself. */
const silentMsMax = 31_000;

/**
 * For work that may take as long as it needs, so that nothing bounds its waits: says each half minute for how long nothing else was
 * said, and where to look.
 * @param work Says what it has to say by what it is given.
 */
export async function tellWhenSilent<Result>(
  work: (tell: (line: string) => void) => Promise<Result>,
  print: (line: string) => void = (line) => console.error(line),
): Promise<Result> {
  let heardMs = performance.now();
  const watch = () => setInterval(() => print(describe(performance.now() - heardMs)), silentMsMax);
  let timer = watch();
  const tell = (line: string) => {
    clearInterval(timer);
    heardMs = performance.now();
    timer = watch();
    print(line);
  };
  try {
    return await work(tell);
  } finally {
    clearInterval(timer);
  }
}

function describe(silentMs: number): string {
  return `Still at work, with nothing to say for ${Math.round(silentMs / 1_000)} s now. On MySQL and MariaDB, SHOW FULL PROCESSLIST says what the database does for it, and for whom it waits.`;
}
