import { Field, FieldResolver, ID, Int, ObjectType, Resolver, Root } from 'type-graphql';
import { CountScalar, CreditsScalar, DateTimeScalar } from '../../schema/scalars.js';
import { OperatorWatchType } from './operator-watch.graphql.js';

/** One that has said nothing for so long has ended without a word, or hangs. */
const silentAfterMs = 30_000;

interface ReportedProcess {
  readonly id: string;
  readonly version: string;
  readonly startedAtMs: number;
  readonly reportedAtMs: number;
  readonly callsRunning: number;
  readonly streamsOpen: number;
  readonly connections: number;
  readonly lastMinute: Omit<OperatorTrafficType, 'seconds'> & { readonly lengthMs: number };
  readonly queuedOperations: number;
  readonly leases: {
    readonly count: number;
    readonly leasedMillicredits: number;
    readonly reservedMillicredits: number;
  };
  readonly jobs: readonly { readonly name: string; readonly lastDoneAtMs: number | null }[];
}

/** What processes have said of themselves. */
export interface ProcessReads {
  nowMs(): number;
  listProcesses(): Promise<readonly ReportedProcess[]>;
}

@ObjectType('OperatorTraffic', { description: 'What a process did in its last minute.' })
class OperatorTrafficType {
  @Field(() => Int, { description: 'How long that was: less than 60 for a process that has just begun.' })
  seconds!: number;

  @Field(() => CountScalar, { description: 'Calls that ended.' })
  calls!: number;

  @Field(() => CountScalar, {
    description: 'Those whose caller did not get a whole answer, through no doing of their own.',
  })
  failedCalls!: number;

  @Field(() => CountScalar, { description: 'Calls that were answered by an error, whatever its cause.' })
  refusals!: number;

  @Field(() => CountScalar, { description: 'Tokens that were billed.' })
  tokens!: number;

  @Field(() => CountScalar, { description: 'Commits of the ledger.' })
  commits!: number;

  @Field(() => CountScalar, {
    description: 'Operations that shared those commits; divided by them, the size of a batch.',
  })
  operations!: number;
}

@ObjectType('OperatorLeases', {
  description: 'Credits of wallets that a process has set aside, so that calls need not ask the database.',
})
class OperatorLeasesType {
  @Field(() => Int, { description: 'How many leases.' })
  count!: number;

  @Field(() => CreditsScalar, { description: 'What is left of them.' })
  leased!: number;

  @Field(() => CreditsScalar, { description: 'What running calls have reserved of that.' })
  reserved!: number;
}

@ObjectType('OperatorJob', { description: 'What a process does repeatedly by itself.' })
class OperatorJobType {
  @Field(() => String, { description: 'Its name, as the metrics and the log have it.' })
  name!: string;

  @Field(() => DateTimeScalar, {
    nullable: true,
    description: 'When it last came to its end without an error; null: not since the start.',
  })
  lastDoneAt!: number | null;
}

@ObjectType('OperatorProcess', { description: 'A server process, by what it last said of itself.' })
class OperatorProcessType {
  @Field(() => ID, { description: 'Its id, `inst_…`; leases and the log have the same.' })
  id!: string;

  @Field(() => String, { description: 'Its version of Tollgate.' })
  version!: string;

  @Field(() => DateTimeScalar, { description: 'When it was started.' })
  startedAt!: number;

  @Field(() => DateTimeScalar, { description: 'When it said this.' })
  reportedAt!: number;

  @Field(() => Boolean, {
    description: 'Whether it has not reported for half a minute: it ended without signing off, or hangs.',
  })
  isSilent!: boolean;

  @Field(() => Int, { description: 'Calls under way, streams included.' })
  callsRunning!: number;

  @Field(() => Int, { description: 'Answers that are being streamed.' })
  streamsOpen!: number;

  @Field(() => Int, { description: 'Connections of callers and browsers.' })
  connections!: number;

  @Field(() => OperatorTrafficType, { description: 'What it did in its last minute.' })
  lastMinute!: OperatorTrafficType;

  @Field(() => Int, { description: 'Operations of the ledger that wait for a commit to begin.' })
  queuedOperations!: number;

  @Field(() => OperatorLeasesType, { description: 'Credits that it has set aside.' })
  leases!: OperatorLeasesType;

  @Field(() => [OperatorJobType], { description: 'What it does by itself.' })
  jobs!: readonly OperatorJobType[];
}

@Resolver(() => OperatorWatchType)
export class OperatorProcessesResolver {
  constructor(private readonly reads: ProcessReads) {}

  @FieldResolver(() => [OperatorProcessType], {
    description:
      'Every server process on this database, as each reports every five seconds; one that ended without signing off stays for an hour. At most 100.',
  })
  async processes(@Root() _watch: OperatorWatchType): Promise<readonly OperatorProcessType[]> {
    const silentBeforeMs = this.reads.nowMs() - silentAfterMs;
    return (await this.reads.listProcesses()).map(
      ({ startedAtMs, reportedAtMs, lastMinute, leases, jobs, ...rest }) => {
        const { lengthMs, ...traffic } = lastMinute;
        const { count, leasedMillicredits: leased, reservedMillicredits: reserved } = leases;
        return {
          ...rest,
          startedAt: startedAtMs,
          reportedAt: reportedAtMs,
          isSilent: reportedAtMs < silentBeforeMs,
          lastMinute: { seconds: Math.round(lengthMs / 1_000), ...traffic },
          leases: { count, leased, reserved },
          jobs: jobs.map(({ name, lastDoneAtMs }) => ({ name, lastDoneAt: lastDoneAtMs })),
        };
      },
    );
  }
}
