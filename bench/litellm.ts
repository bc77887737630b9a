import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '../e2e/support/free-port.js';
import { fromProgram } from './contestants.js';
import { runInstallStep, type StartPeer } from './install-peer.js';
import { startListening } from './start-program.js';

const packageName = 'litellm[proxy]==1.108.7';
const installTimeoutMs = 900_000;
/** It loads a gigabyte of Python first. */
const startTimeoutMs = 180_000;
const secret = 'sk-peer';

/**
 * LiteLLM's proxy, installed now in a temporary folder, with one key and no database: it checks the key, counts tokens and cost
 * in memory, and books nothing. `LITELLM` names a program that is installed already.
 * @throws PeerUnavailableError without Python, or when pip cannot install it, with its own words.
 */
export async function installLitellm(): Promise<StartPeer> {
  const folder = mkdtempSync(join(tmpdir(), 'litellm-'));
  const program = process.env.LITELLM ?? (await install(folder));
  return async (upstream) => {
    const port = await findFreePort();
    const config = join(folder, 'config.json');
    writeFileSync(config, JSON.stringify(describeProxy(upstream.baseUrl)));
    const options = ['--host', '127.0.0.1', '--port', String(port), '--num_workers', '1', '--telemetry', 'False'];
    const started = await startListening({
      command: [program, '--config', config, ...options],
      ...{ folder, port, readyPath: '/health/liveliness', timeoutMs: startTimeoutMs },
      env: { PATH: process.env.PATH, HOME: folder, LITELLM_LOG: 'ERROR', LITELLM_LOCAL_MODEL_COST_MAP: 'True' },
    });
    return { ...fromProgram('peer', 'LiteLLM, nothing booked', started), secrets: [secret] };
  };
}

// JSON is YAML as well.
function describeProxy(upstreamUrl: string): object {
  const model = { model: 'openai/gpt-4o-mini', api_base: `${upstreamUrl}/v1`, api_key: 'sk-bench' };
  return {
    model_list: [{ model_name: 'gpt-4o-mini', litellm_params: model }],
    general_settings: { master_key: secret },
  };
}

async function install(folder: string): Promise<string> {
  const step = { timeoutMs: installTimeoutMs, folder };
  await runInstallStep('Making a folder for Python', ['python3', '-m', 'venv', join(folder, 'python')], step);
  const pip = join(folder, 'python/bin/pip');
  const options = ['--quiet', '--no-cache-dir', '--disable-pip-version-check'];
  await runInstallStep(`Installing ${packageName}`, [pip, 'install', ...options, packageName], step);
  return join(folder, 'python/bin/litellm');
}
