import { z } from 'zod';
import { isLoopbackHost } from '../kernel/addresses/loopback.js';
import { isWebAddress } from '../kernel/settings/setting-shapes.js';

/** The setting about those who look for keys in public. */
export const scannerShape = {
  SECRET_SCANNING_KEYS_URL: z
    .string()
    .refine(
      isScannerAddress,
      'must be an https address such as https://api.github.com/meta/public_keys/secret_scanning',
    )
    .optional(),
};

// Whoever could change the answer on its way could sign any report.
function isScannerAddress(text: string): boolean {
  if (!isWebAddress(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || isLoopbackHost(hostname);
}
