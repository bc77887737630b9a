import { InvalidConfigError, loadConfig } from '../config/config.js';

/** What is said of settings that a server would be started with; a file of this machine's own is not read. */
export function findConfigFaults(environment: Record<string, string>): readonly string[] {
  try {
    loadConfig(environment, () => null);
    return [];
  } catch (error) {
    if (error instanceof InvalidConfigError) return error.faults;
    throw error;
  }
}
