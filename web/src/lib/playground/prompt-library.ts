import { isItemName, type ListKind, readContent } from '../kept-list';

/** Words that one asks again and again. `{{topic}}` in them is a variable, filled in each time. */
export interface SavedPrompt {
  readonly name: string;
  readonly system: string;
  readonly question: string;
}

const promptsMax = 50;
const textLengthMax = 20_000;
const variable = /\{\{\s*([A-Za-z][\w -]{0,39}?)\s*\}\}/g;

/**
 * The prompts of one person in one account in this browser, 50 at most. Those of a person's own account have its id alone behind them.
 * @param owner as `ownerOf` names them
 */
export function promptsOf(owner: string): ListKind<SavedPrompt> {
  const [personId, accountId] = owner.split(' ');
  return {
    key: `tollgate.prompts.${personId === accountId ? accountId : owner}`,
    itemsMax: promptsMax,
    isItem: isPrompt,
  };
}

/** A prompt that the account keeps; null where it cannot be read. */
export function readSharedPrompt({
  name,
  content,
}: {
  readonly name: string;
  readonly content: string;
}): SavedPrompt | null {
  const { system = '', question = '' } = readContent(content);
  const prompt = { name, system, question };
  return isPrompt(prompt) ? prompt : null;
}

/** The variables of a prompt, each once, in the order in which they are read. */
export function listVariables({ system, question }: Pick<SavedPrompt, 'system' | 'question'>): readonly string[] {
  const names = [...`${system}\n${question}`.matchAll(variable)].map(([, name = '']) => name);
  return [...new Set(names)];
}

/** A text with its variables filled in; those without a value stay as they stand. */
export function fillVariables(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(variable, (whole, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    return value === undefined || value === '' ? whole : value;
  });
}

function isPrompt(value: unknown): value is SavedPrompt {
  if (typeof value !== 'object' || value === null) return false;
  const { name, system, question } = value as Record<string, unknown>;
  const isText = (text: unknown) => typeof text === 'string' && text.length <= textLengthMax;
  return isItemName(name) && isText(system) && isText(question) && `${system}${question}`.trim() !== '';
}
