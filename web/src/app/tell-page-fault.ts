import { serverPaths } from './paths';

const stackLengthMax = 6_000;

/**
 * Tells the server's log that this page broke: the kind of the error, the page without its parameters, and where in our scripts.
 * The words of an error may quote what somebody typed, so they stay here. Never throws, and waits for nothing.
 */
export function tellPageFault(error: unknown): void {
  const { name = 'Error', message = '', stack = '' } = error instanceof Error ? error : {};
  const body = JSON.stringify({
    name: name.slice(0, 60),
    page: window.location.pathname.slice(0, 200),
    stack: stack.replace(message, '').slice(0, stackLengthMax),
  });
  void fetch(serverPaths.pageFaults(), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
    keepalive: true,
  }).catch(() => undefined);
}
