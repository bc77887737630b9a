import { type Config, InvalidConfigError, readConfig } from './config.js';
import { findPathFaults } from './find-path-faults.js';
import { findMoneyFault } from './unsafe-for-strangers.js';

/**
 * The settings of a server that is about to start: well formed, their folders there and writable, and no money of the
 * operator's lying about for strangers.
 * @throws InvalidConfigError naming every fault at once.
 */
export function loadServerConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const { config, faults: found, isTrue } = readConfig(environment);
  const moneyFault = findMoneyFault(config);
  const faults = [
    ...found,
    ...findPathFaults(environment).filter(isTrue),
    ...(moneyFault !== null && isTrue(moneyFault) ? [moneyFault] : []),
  ];
  if (faults.length > 0) throw new InvalidConfigError(faults);
  return config;
}
