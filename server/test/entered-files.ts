import { Session } from 'node:inspector/promises';
import { relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const serverFolder = fileURLToPath(new URL('..', import.meta.url));

/**
 * Tells which files of the server a piece of work enters: those of which a function runs in this thread while it lasts, as paths of
 * the sources.
 */
export async function listEnteredFiles(work: () => Promise<unknown>): Promise<ReadonlySet<string>> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    // Takes what has run before away.
    await session.post('Profiler.takePreciseCoverage');
    await work();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    // A script's own text is a function without a name.
    const entered = result.filter(({ functions }) =>
      functions.some(({ functionName, ranges }) => functionName !== '' && ranges.some(({ count }) => count > 0)),
    );
    return new Set(entered.flatMap(({ url }) => toSourcePath(url) ?? []));
  } finally {
    await session.post('Profiler.stopPreciseCoverage');
    session.disconnect();
  }
}

function toSourcePath(url: string): string | null {
  const file = url.startsWith('file:') ? fileURLToPath(url) : url;
  if (!file.startsWith(serverFolder)) return null;
  return `server/${relative(serverFolder, file).split(sep).join('/').replace(/\.js$/, '.ts')}`;
}
