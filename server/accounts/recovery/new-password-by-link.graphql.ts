import { IsBoolean, MaxLength } from 'class-validator';
import { Field, InputType } from 'type-graphql';

/** The rules that a person is told about are `sign-up-rules.ts`; this bound only keeps nonsense away from them. */
export const textLengthMax = 1_000;

/** What whoever opens a mailed link sends to choose a new password by it. */
@InputType()
export abstract class NewPasswordByLink {
  @MaxLength(textLengthMax)
  @Field(() => String, { description: 'The part of the link after the #.' })
  token!: string;

  @MaxLength(textLengthMax)
  @Field(() => String, { description: '8 to 128 characters, and none that is tried first.' })
  newPassword!: string;

  @IsBoolean()
  @Field(() => Boolean, {
    defaultValue: false,
    description:
      'Whether every API key of the account is revoked, too; for somebody who is no owner or admin of it any more, those that they have made.',
  })
  revokeKeys!: boolean;
}
