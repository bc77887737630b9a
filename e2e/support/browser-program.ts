import { accessSync, constants } from 'node:fs';
import { type Browser, type BrowserServer, chromium } from 'playwright-core';

const knownPaths = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'].map(
  (name) => `/usr/bin/${name}`,
);

// Without these, Chromium looks up its maker's hosts at every start, which a closed network refuses many times over.
const quietFlags = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The path of CHROMIUM_PATH, or of Debian's Chromium; null where there is neither. */
export function findChromium(): string | null {
  const candidates = [process.env.CHROMIUM_PATH ?? '', ...knownPaths];
  return candidates.find((path) => path !== '' && isExecutable(path)) ?? null;
}

/** Root, as in most containers, cannot have Chromium's own sandbox. Only our own pages are opened. */
export function launchBrowser(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, args: quietFlags, chromiumSandbox: false });
}

/** The same for several processes, each of which has contexts of its own. It ends when it is closed, and by no signal. */
export function launchBrowserServer(executablePath: string): Promise<BrowserServer> {
  const ends = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false };
  return chromium.launchServer({
    executablePath,
    // A process less, and a tenth less processor time: pages of tests are drawn by no graphics card.
    args: [...quietFlags, '--in-process-gpu'],
    chromiumSandbox: false,
    host: '127.0.0.1',
    ...ends,
  });
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
