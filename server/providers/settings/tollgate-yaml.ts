import { LineCounter, parseDocument } from 'yaml';
import { findSecret } from '../../kernel/settings/secret-setting.js';

type Environment = Readonly<Record<string, string | undefined>>;

// Stands for `${NAME}` while the text is parsed: two characters of the private-use area, which nobody types.
const opening = '\uE000';
const closing = '\uE001';

const charactersMax = 512 * 1024;
/** A text that is no YAML at all has a fault in every line. */
const faultsMax = 20;

/**
 * Parses YAML in which `${NAME}` stands for a variable of the environment, or for what the file holds that `NAME_FILE` names. Variables are filled in after parsing, so no
 * value can change the file's structure, and a comment may name what is not set.
 * @returns The value, undefined where the text is no YAML, and every fault. A fault never quotes the text, which may hold keys.
 */
export function parseTollgateYaml(text: string, environment: Environment): { value: unknown; faults: string[] } {
  if (text.length > charactersMax)
    return { value: undefined, faults: ['it is longer than 512 kB; is it the right file?'] };
  const lineCounter = new LineCounter();
  const marked = text.replaceAll(/\$\{([A-Za-z_]\w*)\}/g, `${opening}$1${closing}`);
  const document = parse(marked, lineCounter);
  if (document === null) return { value: undefined, faults: ['it is nested too deep; flatten it'] };
  const faults = document.errors
    .slice(0, faultsMax)
    .map(({ code, pos }) => `line ${lineCounter.linePos(pos[0]).line}: ${say(code)}`);
  if (faults.length > 0) return { value: undefined, faults };
  try {
    const value = fillIn(document.toJS({ maxAliasCount: 100 }), [], { environment, faults });
    return { value, faults };
  } catch {
    return { value: undefined, faults: ['its aliases (*name) cannot be resolved; write the values out'] };
  }
}

// What is nested thousands of levels deep takes the parser's stack.
function parse(text: string, lineCounter: LineCounter): ReturnType<typeof parseDocument> | null {
  try {
    return parseDocument(text, { prettyErrors: false, lineCounter });
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function say(code: string): string {
  const reason = code.toLowerCase().replaceAll('_', ' ');
  return code === 'DUPLICATE_KEY' ? 'a name stands here for the second time' : `this is not YAML (${reason})`;
}

interface Filling {
  readonly environment: Environment;
  readonly faults: string[];
}

function fillIn(value: unknown, path: readonly string[], filling: Filling): unknown {
  if (typeof value === 'string') return fillInText(value, path, filling);
  if (Array.isArray(value)) return value.map((item, index) => fillIn(item, [...path, `${index}`], filling));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  // Copies of objects leave this name out, so that what stands under it would be passed over without a word.
  if (Object.hasOwn(value, '__proto__'))
    filling.faults.push(`${[...path, '__proto__'].join('.')}: must have another name`);
  return Object.fromEntries(entries.map(([name, item]) => [name, fillIn(item, [...path, name], filling)]));
}

function fillInText(text: string, path: readonly string[], { environment, faults }: Filling): string {
  return text.replaceAll(new RegExp(`${opening}(\\w+)${closing}`, 'g'), (_, name: string) => {
    const { value, fault } = findSecret(name, environment);
    if (value !== undefined) return value;
    faults.push(`${path.join('.')}: ${fault ?? `the environment has no ${name}; set it, or take \${${name}} out`}`);
    return '';
  });
}
