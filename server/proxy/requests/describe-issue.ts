import type { z } from 'zod';

type Issue = z.core.$ZodIssue;

const units: Readonly<Record<string, string>> = {
  string: ' characters',
  array: ' items',
  object: ' names',
  record: ' names',
};
const kinds: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  tuple: 'a list',
};

/** What a value must be, for whoever sent another: in words of our own where the library's name its types and signs. */
export function describeIssue(issue: Issue): string {
  // A shape that says something of its own knows better.
  if (!/^(Invalid|Too) /.test(issue.message)) return issue.message;
  switch (issue.code) {
    case 'too_small':
      return describeBound('at least', issue.origin, issue.minimum);
    case 'too_big':
      return describeBound('at most', issue.origin, issue.maximum);
    case 'invalid_type':
      return kinds[issue.expected] === undefined ? issue.message : `must be ${kinds[issue.expected]}`;
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(quote).join(', ')}`;
    case 'invalid_union':
      return 'options' in issue && issue.options
        ? `must be one of ${issue.options.map(quote).join(', ')}`
        : issue.message;
    default:
      return issue.message;
  }
}

function quote(value: unknown): string {
  return JSON.stringify(value);
}

function describeBound(bound: string, origin: string, count: number | bigint): string {
  const unit = units[origin];
  const words = `${bound} ${count.toLocaleString('en')}`;
  if (unit === undefined) return `must be ${words}`;
  return `must have ${words}${Number(count) === 1 ? unit.slice(0, -1) : unit}`;
}
