import { notifications } from '@mantine/notifications';

const pauseMs = 2_000;
const pauseMaxMs = 60_000;
const triesOfSoon = 3;
const pauseOfSoonMs = 1_000;

/** Code could not be fetched: there is no connection, or the server has another release by now. */
export class CodeMissingError extends Error {
  override readonly name = 'CodeMissingError';

  constructor(options: ErrorOptions) {
    super('The code of this page could not be fetched.', options);
  }
}

/**
 * Fetches code that nobody waits for, and that is shown outside of any page, where a failure would take the whole dashboard along:
 * without a connection it is tried again until it comes, after two seconds and then ever more rarely, once a minute in the end.
 * @param onMissing Called once, after the third try that failed.
 */
export async function loadInTheEnd<Module>(load: () => Promise<Module>, onMissing = () => {}): Promise<Module> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await load();
    } catch {
      if (tries === triesOfSoon) onMissing();
      await new Promise((resolve) => setTimeout(resolve, Math.min(pauseMs * 2 ** (tries - 1), pauseMaxMs)));
    }
  }
}

/**
 * Fetches code that somebody waits for, in three tries within about two seconds and what each takes.
 * @throws CodeMissingError when none brought it, as after an update of the server: they are to be told, and may try again.
 */
export async function loadSoon<Module>(load: () => Promise<Module>): Promise<Module> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await load();
    } catch (cause) {
      if (tries === triesOfSoon) throw new CodeMissingError({ cause });
      await new Promise((resolve) => setTimeout(resolve, pauseOfSoonMs));
    }
  }
}

/** Tells that something cannot be shown, since its code is missing, and what to do. */
export function tellMissingCode(): void {
  notifications.show({
    id: 'missing-code',
    color: 'red',
    title: 'A part of the page could not be loaded',
    message: navigator.onLine
      ? 'Reload the page, then try again. The server may have been updated.'
      : 'You are offline. Try again when you are back.',
  });
}
