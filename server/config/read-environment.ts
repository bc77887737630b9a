import type { z } from 'zod';
import { findSecret, listSecretNames } from '../kernel/settings/secret-setting.js';
import { findTextFaults } from '../kernel/settings/setting-shapes.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** The settings as the environment has them, each looked at by itself. */
export interface ReadEnvironment<Shape extends z.ZodRawShape> {
  /** Those with a fault stand at their default, so that the others can be looked at together. */
  readonly settings: z.output<z.ZodObject<Shape>>;
  /** Every variable that is filled in, secrets that stand in files included. */
  readonly known: Readonly<Record<string, string>>;
  /** What is wrong with values, in the order of the shape. */
  readonly valueFaults: readonly string[];
  /** What is wrong with a text whatever it means, or with the file that was to hold it. */
  readonly textFaults: readonly string[];
  /** The settings that those faults are about. */
  readonly faultyNames: ReadonlySet<string>;
  /** Says in a fault of a secret in which file it stands. */
  readonly nameFile: (fault: string) => string;
}

/**
 * Reads every setting of the shape, and the secrets named besides it. An empty setting, as in an unfilled line of `.env`, means
 * the default. No fault keeps another one from being found.
 */
export function readEnvironment<Shape extends z.ZodRawShape>(
  shape: Shape,
  environment: Environment,
  otherSecretNames: readonly string[],
): ReadEnvironment<Shape> {
  const known: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) if (value) known[name] = value;
  const fileOf = new Map<string, string>();
  const textFaults = new Map<string, string>();
  for (const name of new Set([...listSecretNames(shape), ...otherSecretNames])) {
    const { value, file, fault } = findSecret(name, environment);
    if (value === undefined) delete known[name];
    else known[name] = value;
    if (file !== null) fileOf.set(name, file);
    if (fault !== null) textFaults.set(name, fault);
  }
  for (const [name, fault] of findTextFaults(Object.keys(shape), known)) textFaults.set(name, fault);
  const { settings, valueFaults } = readValues(shape, known, textFaults);
  return {
    settings,
    known,
    valueFaults: [...valueFaults.values()].flat(),
    textFaults: [...textFaults.values()],
    faultyNames: new Set([...valueFaults.keys(), ...textFaults.keys()]),
    nameFile: (fault) => {
      const [name = ''] = /^[A-Z][A-Z0-9_]*/.exec(fault) ?? [];
      return fileOf.has(name) ? `${name} (in ${fileOf.get(name)})${fault.slice(name.length)}` : fault;
    },
  };
}

function readValues<Shape extends z.ZodRawShape>(
  shape: Shape,
  known: Readonly<Record<string, string>>,
  textFaults: ReadonlyMap<string, string>,
) {
  const settings: Record<string, unknown> = {};
  const valueFaults = new Map<string, readonly string[]>();
  for (const [name, part] of Object.entries(shape) as [string, z.ZodType][]) {
    const parsed = part.safeParse(textFaults.has(name) ? undefined : known[name]);
    if (parsed.success) settings[name] = parsed.data;
    else {
      settings[name] = part.parse(undefined);
      valueFaults.set(
        name,
        parsed.error.issues.map(({ message }) => `${name}: ${message}`),
      );
    }
  }
  return { settings: settings as z.output<z.ZodObject<Shape>>, valueFaults };
}
