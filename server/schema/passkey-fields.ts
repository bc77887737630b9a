import { MaxLength } from 'class-validator';
import { Field, ID, InputType, ObjectType } from 'type-graphql';
import { DateTimeScalar } from './scalars.js';

// The rules that a person is told about are elsewhere; these bounds only keep nonsense from being parsed.
const nameLengthMax = 1_000;
const responseLengthMax = 20_000;

/** A passkey as whoever it signs in sees it, a customer or an operator. */
@ObjectType()
export abstract class PasskeyFields {
  @Field(() => ID, { description: 'The id, `pkey_…`. Not secret.' })
  id!: string;

  @Field(() => String, { description: 'What its owner calls it.' })
  name!: string;

  @Field(() => DateTimeScalar, { description: 'When it was added.' })
  createdAt!: number;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When it last signed; null: never.' })
  lastUsedAt!: number | null;
}

@InputType()
export abstract class MadePasskeyFields {
  @MaxLength(nameLengthMax)
  @Field(() => String, { description: 'What to call it: 1 to 100 characters.' })
  name!: string;

  @MaxLength(responseLengthMax)
  @Field(() => String, { description: 'What `navigator.credentials.create` answered, as JSON.' })
  response!: string;
}

@InputType()
export abstract class SignedPasskeyFields {
  @MaxLength(responseLengthMax)
  @Field(() => String, { description: 'What `navigator.credentials.get` answered, as JSON.' })
  response!: string;
}

interface StoredFacts extends Readonly<Pick<PasskeyFields, 'id' | 'name'>> {
  readonly createdAtMs: number;
  readonly lastUsedAtMs: number | null;
}

/** As the schema has it. */
export function toPasskeyFields({ id, name, createdAtMs, lastUsedAtMs }: StoredFacts): PasskeyFields {
  return { id, name, createdAt: createdAtMs, lastUsedAt: lastUsedAtMs };
}
