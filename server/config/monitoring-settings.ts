import { z } from 'zod';
import type { LogFormat, LogLevel } from '../kernel/logger.js';
import { Secret } from '../kernel/secret.js';
import { secret } from '../kernel/settings/secret-setting.js';
import { wholeNumber } from '../kernel/settings/setting-shapes.js';
import { type RetentionSettings, readRetentionSettings, retentionShape } from './retention-settings.js';
import { readTracingSettings, type TracingSettings, tracingShape } from './tracing-settings.js';

/** What an operator's monitoring is told, and how, how long receipts are kept, and what one operator may do alone. */
export interface MonitoringSettings extends RetentionSettings {
  readonly logLevel: LogLevel;
  /** null: text on a terminal, else JSON. */
  readonly logFormat: LogFormat | null;
  /** Of calls that completed at the first try, one in so many is logged. */
  readonly logCompletedEvery: number;
  /** What `GET /metrics` asks for; null: there is no such page on the port of the callers. */
  readonly metricsToken: Secret | null;
  /** A port for the metrics alone; null: none. */
  readonly metricsPort: number | null;
  /** null: no call is traced. */
  readonly tracing: TracingSettings | null;
  /** Credits that an operator may move by hand for one account in 24 hours without a second operator. */
  readonly operatorAloneMillicredits: number;
}

export const monitoringShape = {
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  LOG_FORMAT: z.enum(['json', 'text']).optional(),
  LOG_COMPLETED_EVERY: wholeNumber(1, 1_000_000).default(1),
  METRICS_TOKEN: secret(
    z
      .string()
      .regex(/^[\x21-\x7e]{16,200}$/, 'must be 16 to 200 letters, digits and signs without spaces')
      .optional(),
  ),
  METRICS_PORT: wholeNumber(1, 65_535).optional(),
  ...tracingShape,
  ...retentionShape,
  OPERATOR_ALONE_CREDITS: wholeNumber(0, 1_000_000_000).default(100_000),
};

type Settings = z.output<z.ZodObject<typeof monitoringShape>>;

export function readMonitoringSettings(settings: Settings): MonitoringSettings {
  return {
    logLevel: settings.LOG_LEVEL,
    logFormat: settings.LOG_FORMAT ?? null,
    logCompletedEvery: settings.LOG_COMPLETED_EVERY,
    metricsToken: settings.METRICS_TOKEN === undefined ? null : new Secret(settings.METRICS_TOKEN),
    metricsPort: settings.METRICS_PORT ?? null,
    tracing: readTracingSettings(settings),
    ...readRetentionSettings(settings),
    operatorAloneMillicredits: settings.OPERATOR_ALONE_CREDITS * 1_000,
  };
}

/** What is wrong with settings that are each well formed, each as one sentence. */
export function findMonitoringFaults({ METRICS_PORT, PORT }: Settings & { readonly PORT: number }): readonly string[] {
  if (METRICS_PORT === undefined || METRICS_PORT !== PORT) return [];
  return ['METRICS_PORT must be another port than PORT, or left out: METRICS_TOKEN alone serves /metrics there'];
}
