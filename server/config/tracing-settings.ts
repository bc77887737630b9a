import { z } from 'zod';
import { Secret } from '../kernel/secret.js';
import { secret } from '../kernel/settings/secret-setting.js';
import { isWebAddress } from '../kernel/settings/setting-shapes.js';

/** Where traces of calls are sent to, and of which. The settings have the names that OpenTelemetry gives them everywhere. */
export interface TracingSettings {
  readonly url: string;
  /** Header -> what is sent in it to the collector. */
  readonly headers: ReadonlyMap<string, Secret>;
  readonly serviceName: string;
  /** Of which calls; `ratio`: of that share. */
  readonly sampler: 'on' | 'off' | 'ratio';
  readonly ratio: number;
  /** Whether a caller that sends `traceparent` decides for its own calls. */
  readonly isCallerFollowed: boolean;
  /** Whether providers are sent `traceparent`. */
  readonly isSentUpstream: boolean;
}

const samplers = [
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
  'always_on',
  'always_off',
  'traceidratio',
] as const;
const headerPair = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}=[^\s,;\\"]{1,4096}$/;

export const tracingShape = {
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .string()
    .refine(
      isWebAddress,
      'must be an http(s) address such as http://127.0.0.1:4318, without user, password and parameters',
    )
    .optional(),
  OTEL_EXPORTER_OTLP_HEADERS: secret(
    z
      .string()
      .refine(
        (text) => readPairs(text) !== null,
        'must be names and values such as authorization=Bearer%20token, with commas between',
      )
      .optional(),
  ),
  OTEL_SERVICE_NAME: z
    .string()
    .regex(/^[A-Za-z][\w.-]{0,62}$/, 'must be a name of up to 63 letters, digits, dots and hyphens')
    .default('tollgate'),
  OTEL_TRACES_SAMPLER: z.enum(samplers).default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(0(\.\d{1,9})?|1(\.0{1,9})?)$/, 'must be a share from 0 to 1 such as 0.05')
    .default('1'),
  TRACE_PROVIDERS: z.enum(['on', 'off']).default('off'),
};

type Settings = z.output<z.ZodObject<typeof tracingShape>>;

/** @returns null when no traces are sent. */
export function readTracingSettings(settings: Settings): TracingSettings | null {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_SAMPLER: sampler } = settings;
  if (endpoint === undefined) return null;
  const share = sampler.endsWith('ratio') ? 'ratio' : sampler.endsWith('on') ? 'on' : 'off';
  return {
    url: `${endpoint.replace(/\/+$/, '')}/v1/traces`,
    headers: readPairs(settings.OTEL_EXPORTER_OTLP_HEADERS ?? '') ?? new Map(),
    serviceName: settings.OTEL_SERVICE_NAME,
    sampler: share,
    ratio: Number(settings.OTEL_TRACES_SAMPLER_ARG),
    isCallerFollowed: sampler.startsWith('parentbased_'),
    isSentUpstream: settings.TRACE_PROVIDERS === 'on',
  };
}

// Values are escaped as in addresses, so that they may hold spaces and commas. null: it is not of this form.
function readPairs(text: string): ReadonlyMap<string, Secret> | null {
  const pairs = text === '' ? [] : text.split(',').map((pair) => pair.trim());
  if (!pairs.every((pair) => headerPair.test(pair))) return null;
  try {
    const read = pairs.map((pair) => {
      const [, name = '', value = ''] = /^([^=]+)=(.*)$/.exec(pair) ?? [];
      return [name.toLowerCase(), decodeURIComponent(value)] as const;
    });
    if (!read.every(([, value]) => /^[\x20-\x7e]+$/.test(value))) return null;
    return new Map(read.map(([name, value]) => [name, new Secret(value)]));
  } catch {
    return null;
  }
}
