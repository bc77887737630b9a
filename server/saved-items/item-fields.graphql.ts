import { MaxLength } from 'class-validator';
import { ArgsType, Field, InputType, ObjectType } from 'type-graphql';
import { DateTimeScalar } from '../schema/scalars.js';

/** What is kept under a name, without its kind: each list of kinds is a type of its own. */
@ObjectType()
export abstract class ItemFields {
  @Field(() => String, { description: 'Its name; there is one of each kind and name.' })
  name!: string;

  @Field(() => String, { description: 'A JSON object, whose fields the kind says.' })
  content!: string;

  @Field(() => DateTimeScalar, { description: 'When it was saved last.' })
  savedAt!: number;
}

@InputType()
export abstract class ItemInputFields {
  @MaxLength(1_000)
  @Field(() => String, { description: '1 to 60 characters. One of the same kind and name is replaced.' })
  name!: string;

  // In characters, of which each has a byte at least: longer is refused before it is read.
  @MaxLength(60_000, { message: 'It has at most 60000 bytes. Shorten it, or keep it in your browser.' })
  @Field(() => String, { description: 'A JSON object of at most 60,000 bytes, whose fields the kind says.' })
  content!: string;
}

@ArgsType()
export abstract class NamedItemFields {
  @MaxLength(1_000)
  @Field(() => String, { description: 'Its name.' })
  name!: string;
}

/** As the schema has it. */
export function toItemFields({
  name,
  content,
  savedAtMs,
}: {
  readonly name: string;
  readonly content: string;
  readonly savedAtMs: number;
}): ItemFields {
  return { name, content, savedAt: savedAtMs };
}
