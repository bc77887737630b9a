import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { fromProgram } from './contestants.js';
import { runInstallStep, type StartPeer } from './install-peer.js';
import { startProgram } from './start-program.js';

const packageName = '@portkey-ai/gateway';
const manifest = {
  private: true,
  dependencies: { [packageName]: '~1.15.2' },
  // With later ones, whose answers have the headers that fetch gave them, this gateway fails to change those: each stream is
  // a 500. https://github.com/Portkey-AI/gateway/issues/1389
  overrides: { '@hono/node-server': '1.13.8' },
};
const installTimeoutMs = 240_000;

/**
 * Portkey's gateway, installed now in a temporary folder, as a pass-through to the same provider: no keys, no metering.
 * @throws PeerUnavailableError when npm cannot install it, with npm's own words.
 */
export async function installPortkey(): Promise<StartPeer> {
  const folder = mkdtempSync(join(tmpdir(), 'portkey-'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  await install(folder);
  const main = join(folder, 'node_modules', packageName, 'build/start-server.js');
  const onLoopback = pathToFileURL(join(import.meta.dirname, 'on-loopback.js'));
  return async (upstream) => {
    const program = await startProgram([`--import=${onLoopback}`, main, '--headless'], {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
    });
    return fromProgram('peer', 'Portkey', program, {
      'x-portkey-provider': 'openai',
      'x-portkey-custom-host': `${upstream.baseUrl}/v1`,
    });
  };
}

// The cache lies in the same folder, so that nothing is left when that is removed. No script of a package is run.
async function install(folder: string): Promise<void> {
  const npmScript = process.env.npm_execpath;
  const npm = npmScript?.endsWith('npm-cli.js') ? [process.execPath, npmScript] : ['npm'];
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--fetch-retries=1'];
  const places = [`--prefix=${folder}`, `--cache=${join(folder, 'npm-cache')}`];
  // npm tells the scripts that it runs where their project lies, and an npm in one of those would install there.
  const { npm_config_local_prefix: _, ...env } = process.env;
  const command = [...npm, 'install', ...options, ...places];
  await runInstallStep(`Installing ${packageName}`, command, { timeoutMs: installTimeoutMs, folder, env });
}
