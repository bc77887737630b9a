import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { retentionDaysMax, retentionDaysMin } from '../kernel/settings/retention-days.js';
import { wholeNumber } from '../kernel/settings/setting-shapes.js';

export interface RetentionSettings {
  /** Receipts of calls are removed so many days after their month, unless operators have chosen another time; null: never. */
  readonly retentionDays: number | null;
  /** A folder that keeps them as files before; null: nobody does. */
  readonly retentionFolder: string | null;
}

export const retentionShape = {
  RETENTION_DAYS: wholeNumber(retentionDaysMin, retentionDaysMax).optional(),
  RETENTION_EXPORT_DIR: z
    .string()
    .refine(isAbsolute, 'must be the whole path of a folder, such as /var/lib/tollgate/receipts')
    .optional(),
};

export function readRetentionSettings(settings: z.output<z.ZodObject<typeof retentionShape>>): RetentionSettings {
  return {
    retentionDays: settings.RETENTION_DAYS ?? null,
    retentionFolder: settings.RETENTION_EXPORT_DIR ?? null,
  };
}
