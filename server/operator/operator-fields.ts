import { IsOptional, Matches, MaxLength } from 'class-validator';
import { Field } from 'type-graphql';

/** What callers are told of a reason that nobody else reads. */
export const reasonWords = 'Why: 3 to 191 characters. It stands in the operators’ log.';

/** Why an operator does it. The rule that they are told about is elsewhere; this bound only keeps nonsense from being parsed. */
export function ReasonField(description = reasonWords): PropertyDecorator {
  return (target, property) => {
    MaxLength(1_000)(target, property);
    Field(() => String, { description })(target, property);
  };
}

/** The word by which an operator says that two requests are one: at most 60 letters, digits, dots, colons and dashes. */
export function OnceField(description: string): PropertyDecorator {
  const message = 'once is a word of at most 60 letters, digits, dots, colons and dashes.';
  return (target, property) => {
    IsOptional()(target, property);
    Matches(/^[\w.:-]{1,60}$/, { message })(target, property);
    Field(() => String, { nullable: true, description })(target, property);
  };
}
