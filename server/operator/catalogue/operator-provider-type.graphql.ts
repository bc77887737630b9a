import { Field, ID, Int, ObjectType, registerEnumType } from 'type-graphql';
import { DateTimeScalar } from '../../schema/scalars.js';

/** Where something of a provider is set. */
type SetIn = 'built_in' | 'environment' | 'file' | 'database';

// The names on the wire stand on the left.
export const setInWords = {
  BUILT_IN: 'built_in',
  ENVIRONMENT: 'environment',
  FILE: 'file',
  DATABASE: 'database',
} as const satisfies Record<Uppercase<SetIn>, SetIn>;
registerEnumType(setInWords, {
  name: 'OperatorSetIn',
  description: 'Where something is set.',
  valuesConfig: {
    BUILT_IN: { description: 'Tollgate knows it by itself.' },
    ENVIRONMENT: { description: 'In the environment, or in .env: read once, at the start.' },
    FILE: { description: 'In tollgate.yaml: read once, at the start.' },
    DATABASE: { description: 'By operators, while servers run.' },
  },
});

@ObjectType('OperatorProviderKey', { description: 'A key of a provider; never shown again.' })
export class OperatorProviderKeyType {
  @Field(() => ID, { nullable: true, description: 'Its id; null: it is set in the file or the environment.' })
  id!: string | null;

  @Field(() => String, { description: 'Its last four characters.' })
  masked!: string;

  @Field(() => setInWords, { description: 'Where it is set.' })
  setIn!: SetIn;

  @Field(() => Int, { description: 'Its share of the calls, relative to the other keys.' })
  weight!: number;

  @Field(() => DateTimeScalar, {
    nullable: true,
    description:
      'Until when the process that answers leaves it alone for all accounts, at least for one model; null: it does not.',
  })
  coolsUntil!: number | null;

  @Field(() => Boolean, { description: 'Whether SECRETS_KEY opens it; one that it does not open is not used.' })
  isReadable!: boolean;

  @Field(() => DateTimeScalar, { nullable: true, description: 'Since when it is kept.' })
  createdAt!: number | null;
}

@ObjectType('OperatorProviderFigures', { description: 'The last 256 attempts of the process that answers.' })
export class OperatorProviderFiguresType {
  @Field(() => Int, { description: 'How many there were.' })
  attempts!: number;

  @Field(() => Int, { description: 'How many failed by the provider, the way to it, or the key.' })
  errors!: number;

  @Field(() => String, { nullable: true, description: 'The code of the last failure.' })
  lastErrorCode!: string | null;

  @Field(() => Int, { nullable: true, description: 'The median until the first byte, in milliseconds.' })
  p50Ms!: number | null;

  @Field(() => Int, { nullable: true, description: 'The same for all but the slowest twentieth.' })
  p95Ms!: number | null;
}

@ObjectType('OperatorProviderTrial', { description: 'What came of a test call.' })
export class OperatorProviderTrialType {
  @Field(() => Boolean, { description: 'Whether it answered.' })
  isAnswered!: boolean;

  @Field(() => String, { description: 'The model that was asked, by our name.' })
  model!: string;

  @Field(() => String, { description: 'The same by the provider’s name.' })
  upstreamModel!: string;

  @Field(() => Int, { description: 'How long it took, in milliseconds.' })
  durationMs!: number;

  @Field(() => Int, { nullable: true, description: 'The status of its answer; null: none came over HTTP.' })
  status!: number | null;

  @Field(() => Int, { nullable: true, description: 'Tokens of the prompt, as the provider counts.' })
  promptTokens!: number | null;

  @Field(() => Int, { nullable: true, description: 'Tokens of the answer, as the provider counts.' })
  completionTokens!: number | null;

  @Field(() => String, { nullable: true, description: 'Why it failed; null: it answered.' })
  message!: string | null;
}

@ObjectType('OperatorCatalogueStanding', { description: 'How far the process that answers is with changes.' })
export class OperatorCatalogueStandingType {
  @Field(() => Int, { description: 'The last change of providers, models or prices that it has taken over.' })
  revision!: number;

  @Field(() => String, {
    nullable: true,
    description: 'Why a later one was not, while the last good state stays in force; null: all is well.',
  })
  fault!: string | null;
}
