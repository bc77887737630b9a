import { Ctx, Field, Int, ObjectType, Query, Resolver } from 'type-graphql';
import { Access, everybody } from '../../schema/access.js';
import { type GraphqlContext, requireViewer } from '../../schema/graphql-context.js';
import { CountScalar, CreditsScalar, DateTimeScalar } from '../../schema/scalars.js';
import type { ProofReader } from './proof-reader.js';

@ObjectType('ProvenCredits', { description: 'What came into an account and what was taken back, by its journal.' })
class ProvenCreditsType {
  @Field(() => CreditsScalar, { description: 'Bought.' })
  bought!: number;

  @Field(() => CreditsScalar, { description: 'Given: at sign-up, by gift codes, by the operator.' })
  given!: number;

  @Field(() => CreditsScalar, { description: 'Given back after a refund failed or a dispute was won.' })
  returned!: number;

  @Field(() => CreditsScalar, { description: 'Corrections by the operator, in sum; below 0 when more was taken.' })
  corrections!: number;

  @Field(() => CreditsScalar, { description: 'Taken back by refunds and disputes.' })
  takenBack!: number;
}

@ObjectType('LedgerAudit', {
  description:
    'The last look at the whole server’s ledger by the process that answers. Another process has looks of its own.',
})
class LedgerAuditType {
  @Field(() => DateTimeScalar, {
    nullable: true,
    description: 'The last look: about every minute at the wallets that this process has touched. Null: none yet.',
  })
  verifiedAt!: number | null;

  @Field(() => DateTimeScalar, {
    nullable: true,
    description: 'The last look at every wallet: soon after the start and once a day. Null: none yet.',
  })
  allVerifiedAt!: number | null;

  @Field(() => Int, { nullable: true, description: 'How many of `checks` were broken; null: no look yet.' })
  violations!: number | null;

  @Field(() => [String], { description: 'What is verified, a sentence each.' })
  checks!: readonly string[];
}

@ObjectType('Proof', {
  description:
    'Where all credits of the account are: what came in is what was used, is reserved, and is left. Read at one moment.',
})
class ProofType {
  @Field(() => DateTimeScalar, { description: 'When it was read.' })
  at!: number;

  @Field(() => ProvenCreditsType, { description: 'What came in, by kind, from the journal.' })
  credits!: ProvenCreditsType;

  @Field(() => CreditsScalar, { description: 'All that came in, without what was taken back.' })
  creditsIn!: number;

  @Field(() => CreditsScalar, { description: 'What calls were charged, from the sums of their receipts.' })
  used!: number;

  @Field(() => CountScalar, { description: 'How many calls that were, free ones included.' })
  calls!: number;

  @Field(() => CreditsScalar, { description: 'What running calls have reserved, from the wallet.' })
  reserved!: number;

  @Field(() => CreditsScalar, {
    description: 'What may be spent, from the wallet; below 0 after a refund of what was spent.',
  })
  left!: number;

  @Field(() => CreditsScalar, {
    description: '`creditsIn` minus `used`, `reserved` and `left`: 0, unless the books are wrong.',
  })
  difference!: number;

  @Field(() => LedgerAuditType, { description: 'The last look at the ledger.' })
  audit!: LedgerAuditType;
}

@Resolver()
export class ProofResolver {
  constructor(private readonly reader: Pick<ProofReader, 'prove'>) {}

  @Access({ keys: ['usage:read'], members: everybody, isViewable: true })
  @Query(() => ProofType, { description: 'Where all credits of the account are, to the millicredit.' })
  async proof(@Ctx() context: GraphqlContext): Promise<ProofType> {
    const { accountId } = requireViewer(context);
    const proof = await this.reader.prove(accountId);
    const { verifiedAtMs, allVerifiedAtMs, violations, checks } = proof.audit;
    return {
      at: proof.atMs,
      credits: proof.credits,
      creditsIn: proof.inMillicredits,
      used: proof.usedMillicredits,
      calls: proof.calls,
      reserved: proof.reservedMillicredits,
      left: proof.leftMillicredits,
      difference: proof.differenceMillicredits,
      audit: { verifiedAt: verifiedAtMs, allVerifiedAt: allVerifiedAtMs, violations, checks },
    };
  }
}
