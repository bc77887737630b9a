import { need, type OperatorCommand, type ProgramOptions } from './operator-program.js';

/** A command that a server elsewhere carries out: one question of its operators' API. */
export interface RemoteCommand extends Pick<OperatorCommand, 'options' | 'flags' | 'subject' | 'isSubjectText'> {
  readonly document: string;
  /** What was typed, as the question's variables. @throws UsageError naming what is missing. */
  readonly toVariables?: (subject: string, options: ProgramOptions) => object | Promise<object>;
  /** What came of it in words of its own; null, and left out: the facts as they are. */
  readonly toWords?: (facts: unknown, subject: string) => string | null;
}

export const json = ['json'];
export const reasonOnly = ['reason'];
export const reasonOf = ({ reason }: ProgramOptions) => need(reason, '--reason');

/** What is read. */
export function query(fields: string, declared = ''): string {
  return `query ${declared} { operator { ${fields} } }`;
}

/** What is changed. */
export function change(field: string, declared: string): string {
  return `mutation (${declared}) { operator { ${field} } }`;
}

/** A change that takes an id under this name, and a reason. */
export function changeOf(name: string, id: string, subject: string): RemoteCommand {
  return {
    options: reasonOnly,
    flags: json,
    subject,
    document: change(`${name}(${id}: $id, reason: $reason)`, '$id: ID!, $reason: String!'),
    toVariables: (typed, options) => ({ id: typed, reason: reasonOf(options) }),
  };
}

/** A word as it is typed, as GraphQL has it. */
export function toEnum(word: string): string {
  return word.toUpperCase().replaceAll('-', '_');
}
