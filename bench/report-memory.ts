import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

/*
 * Loaded into a server before its own code: upon SIGUSR2 it collects its garbage and prints what is left, as a line of its
 * log. Nothing happens without that signal.
 */
if (isMainThread) {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  process.on('SIGUSR2', () => {
    collectGarbage();
    const { rss, heapUsed, external } = process.memoryUsage();
    process.stdout.write(`${JSON.stringify({ event: 'bench_memory', rss, heapUsed, external })}\n`);
  });
}
