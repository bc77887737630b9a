import { z } from 'zod';
import { isSafeAddress } from '../kernel/settings/setting-shapes.js';

/** The setting about those who look for keys in public. */
export const scannerShape = {
  SECRET_SCANNING_KEYS_URL: z
    .string()
    .refine(
      // Whoever could change the answer on its way could sign any report.
      isSafeAddress,
      'must be an https address such as https://api.github.com/meta/public_keys/secret_scanning',
    )
    .optional(),
};
