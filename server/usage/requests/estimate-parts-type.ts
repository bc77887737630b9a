import { Field, Int, ObjectType } from 'type-graphql';

@ObjectType('EstimateParts', { description: 'What an estimate is made of, in tokens.' })
export class EstimatePartsType {
  @Field(() => Int, { description: 'Of the prompt: its text and what stands around it.' })
  promptTokens!: number;

  @Field(() => Int, { description: 'Of the prompt: its images, each at the most that it can count.' })
  imageTokens!: number;

  @Field(() => Int, { description: 'Of the answer: what was sent to the caller.' })
  visibleTokens!: number;

  @Field(() => Int, {
    description:
      'Of the answer: the reasoning, by its words, or by its time and the speed of the model where no words came.',
  })
  reasoningTokens!: number;
}
