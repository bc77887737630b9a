import { z } from 'zod';
import { readSmallFile } from './read-small-file.js';
import { findTextFault } from './setting-shapes.js';

/** No secret is longer than a setting may be, whatever bytes its characters take. */
const bytesMax = 32 * 1024;
const secrets = z.registry<{ readonly isSecret: true }>();

type Environment = Readonly<Record<string, string | undefined>>;

/** Marks the shape of a setting as that of a secret: then `NAME_FILE` may name a file that holds it. */
export function secret<Shape extends z.ZodType>(shape: Shape): Shape {
  secrets.add(shape, { isSecret: true });
  return shape;
}

/** The names of those settings of a shape that are secrets. */
export function listSecretNames(shape: z.ZodRawShape): string[] {
  return Object.entries(shape).flatMap(([name, part]) => (secrets.has(part as z.ZodType) ? [name] : []));
}

/** Where the value of a setting came from, and what is wrong with that place. */
export interface FoundSetting {
  /** undefined: it is not set. */
  readonly value: string | undefined;
  /** The file that held it; null: the environment did. */
  readonly file: string | null;
  /** One line that names setting, file and remedy; null: nothing is wrong. */
  readonly fault: string | null;
}

/**
 * Finds a secret in the environment, or in the file that `NAME_FILE` names there, as Docker and Kubernetes hand out secrets; one
 * line break at the file's end is not part of it. What is left empty is not set.
 */
export function findSecret(name: string, environment: Environment): FoundSetting {
  const value = environment[name] || undefined;
  const file = environment[`${name}_FILE`] || undefined;
  if (file === undefined) return { value, file: null, fault: null };
  const faulty = (fault: string) => ({ value: undefined, file: null, fault });
  if (value !== undefined) return faulty(`${name} and ${name}_FILE are both set: take one of them out`);
  const pathFault = findTextFault(`${name}_FILE`, file);
  if (pathFault !== null) return faulty(pathFault);
  try {
    const text = readSmallFile(file, bytesMax).replace(/\r?\n$/, '');
    if (text !== '') return { value: text, file, fault: null };
    return faulty(`${name}_FILE: the file ${file} is empty: write the value of ${name} into it`);
  } catch (error) {
    const words = String((error as Partial<Error>).message ?? error);
    return faulty(`${name}_FILE: the file ${file} cannot be read (${words}): name one that this user may read`);
  }
}
