import { type DestinationStream, pino } from 'pino';

/** What is kept for a reader or a disk that takes nothing for a while: some ten thousand lines. Further ones are dropped. */
const unwrittenCharactersMax = 8 * 1024 * 1024;
const terminalGone: ReadonlySet<string | undefined> = new Set(['EIO', 'EPIPE']);

/**
 * A descriptor as the output of a log, standard output by default, without waiting for whoever reads it. Whatever it refuses, a full
 * disk above all, ends no call and never the process: what was not taken is kept, up to a bound, and offered again with the next line.
 * A terminal that was closed is written to no more. What is still kept when the process ends is written then, unless the last line
 * was refused: the attempt would go on until there is room.
 */
export function openLogOutput(descriptor = 1): DestinationStream {
  const output = pino.destination({ dest: descriptor, sync: false, maxLength: unwrittenCharactersMax });
  const flush = output.flushSync.bind(output);
  let isRefusing = false;
  output.on('error', (error: NodeJS.ErrnoException) => {
    isRefusing = true;
    if (terminalGone.has(error.code)) Object.assign(output, { write: () => true, end: () => {}, destroy: () => {} });
  });
  output.on('write', () => {
    isRefusing = false;
  });
  output.flushSync = () => {
    if (!isRefusing) flush();
  };
  return output;
}
