import { PeerUnavailableError, type StartPeer } from './install-peer.js';
import { installLitellm } from './litellm.js';
import { installOneApi } from './one-api.js';
import { installPortkey } from './portkey.js';

/** Gateways of others that can be measured beside ours, by the word that asks for them. */
const installers = { portkey: installPortkey, litellm: installLitellm, 'one-api': installOneApi } as const;

export type PeerName = keyof typeof installers;

/** @param names separated by commas @throws Error for a word that names none */
export function readPeerNames(names: string): readonly PeerName[] {
  return names.split(',').map((name) => {
    if (!Object.hasOwn(installers, name)) throw new Error(`The peers are ${Object.keys(installers).join(', ')}`);
    return name as PeerName;
  });
}

/**
 * Installs them one after the other, in the folder for temporary files. What this machine cannot have is left out, and said.
 * @throws PeerUnavailableError when there is none of them.
 */
export async function installPeers(names: readonly PeerName[]): Promise<readonly StartPeer[]> {
  const installed: StartPeer[] = [];
  for (const name of names) {
    try {
      installed.push(await installers[name]());
    } catch (error) {
      if (!(error instanceof PeerUnavailableError)) throw error;
      console.log(`${error.message}\n${name} is left out.\n`);
    }
  }
  if (names.length > 0 && installed.length === 0)
    throw new PeerUnavailableError('None of the peers could be had, so there is nothing to compare with.');
  return installed;
}
