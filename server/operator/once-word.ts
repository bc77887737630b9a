import { Matches } from 'class-validator';

/** The word by which an operator says that two requests are one: at most 60 letters, digits, dots, colons and dashes. */
export function IsOnceWord(): PropertyDecorator {
  const message = 'once is a word of at most 60 letters, digits, dots, colons and dashes.';
  return Matches(/^[\w.:-]{1,60}$/, { message });
}
