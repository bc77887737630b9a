import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram } from './find-program.mjs';

/** Where the makers' installers put it, outside of PATH. @type {Partial<Record<NodeJS.Platform, readonly string[]>>} */
const knownPaths = {
  darwin: ['Google Chrome', 'Chromium', 'Microsoft Edge'].map(
    (name) => `/Applications/${name}.app/Contents/MacOS/${name}`,
  ),
  win32: [process.env.PROGRAMFILES, process.env['PROGRAMFILES(X86)'], process.env.LOCALAPPDATA].flatMap((folder) =>
    folder === undefined
      ? []
      : [join(folder, 'Google/Chrome/Application/chrome.exe'), join(folder, 'Microsoft/Edge/Application/msedge.exe')],
  ),
};

/** Chromium without windows: half the processor time of the whole one, which draws a toolbar for each page's window that nobody sees. */
export const headlessShell = 'chromium-headless-shell';

/** The Chromium that CHROMIUM_PATH names, or one of this machine. @returns {string | null} its path */
export function findChromium() {
  if (process.env.CHROMIUM_PATH) return process.env.CHROMIUM_PATH;
  const inPath = findProgram(headlessShell, 'chromium', 'chromium-browser', 'google-chrome');
  return inPath ?? (knownPaths[process.platform] ?? []).find((path) => existsSync(path)) ?? null;
}
