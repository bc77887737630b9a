import { Field, Float, ID, Int, ObjectType, Query, Resolver } from 'type-graphql';
import { Access } from '../../schema/access.js';
import { DateTimeScalar } from '../../schema/scalars.js';
import type { ProviderMeasures, ServiceFigures, ServiceMeasures } from './service-measures.js';

/** What may be told of in public: what stands in the catalogue. */
interface OfferedModels {
  readonly models: readonly { readonly id: string; readonly targets: readonly { readonly providerId: string }[] }[];
}

@ObjectType('ServiceFigures', { description: 'How something did in the last 30 days.' })
class FiguresType {
  @Field(() => Float, {
    nullable: true,
    description:
      'How many of a hundred requests to the provider were answered, cut to two decimals; null: not measured yet.',
  })
  uptimePercent!: number | null;

  @Field(() => Int, {
    nullable: true,
    description: 'Milliseconds that half of the whole answers took at most; null: not measured yet.',
  })
  p50Ms!: number | null;

  @Field(() => Int, {
    nullable: true,
    description: 'Milliseconds that 95 of 100 whole answers took at most; null: not measured yet.',
  })
  p95Ms!: number | null;

  @Field(() => Int, {
    nullable: true,
    description: 'Milliseconds to the first byte of half of the whole answers at most; null: not measured yet.',
  })
  firstByteP50Ms!: number | null;
}

@ObjectType('ModelMeasures', { description: 'How one provider answered one model in the last 30 days.' })
class ModelMeasuresType {
  @Field(() => ID, { description: 'The model.' })
  model!: string;

  @Field(() => FiguresType, { description: 'How it did.' })
  figures!: FiguresType;
}

@ObjectType('DayMeasures', { description: 'How a provider did on one day.' })
class DayMeasuresType {
  @Field(() => DateTimeScalar, { description: 'When the day begins, in UTC.' })
  start!: number;

  @Field(() => Float, { nullable: true, description: 'As of the provider; null: not measured.' })
  uptimePercent!: number | null;
}

@ObjectType('ProviderMeasures', { description: 'How one provider did in the last 30 days.' })
class ProviderMeasuresType {
  @Field(() => ID, { description: 'The provider.' })
  provider!: string;

  @Field(() => FiguresType, { description: 'How it did.' })
  figures!: FiguresType;

  @Field(() => [DayMeasuresType], { description: '30 days, the oldest first; the last one is today.' })
  days!: DayMeasuresType[];

  @Field(() => [ModelMeasuresType], { description: 'The models that it answered.' })
  models!: ModelMeasuresType[];
}

@ObjectType('ServiceStatus', { description: 'How the providers of this server did, by the calls of all accounts.' })
class ServiceStatusType {
  @Field(() => DateTimeScalar, { description: 'When it was measured.' })
  measuredAt!: number;

  @Field(() => [ProviderMeasuresType], { description: 'Those that can be called now and were called before.' })
  providers!: ProviderMeasuresType[];
}

@Resolver()
export class ServiceStatusResolver {
  constructor(
    private readonly measures: Pick<ServiceMeasures, 'measure'>,
    private readonly offered: OfferedModels,
  ) {}

  @Access({ keys: 'any', members: 'person', isViewable: true })
  @Query(() => ServiceStatusType, {
    description:
      'Uptime and answer times of the last 30 days, from at most 100 calls of each hour; the same for everybody, and recomputed once a minute. Public.',
  })
  async serviceStatus(): Promise<ServiceStatusType> {
    const { measuredAtMs, providers } = await this.measures.measure();
    const offered = new Map<string, Set<string>>();
    for (const { id, targets } of this.offered.models) {
      for (const { providerId } of targets) offered.set(providerId, (offered.get(providerId) ?? new Set()).add(id));
    }
    return {
      measuredAt: measuredAtMs,
      providers: providers
        .filter(({ provider }) => offered.has(provider))
        .map((one) => toProviderType(one, offered.get(one.provider) ?? new Set())),
    };
  }
}

function toProviderType(measures: ProviderMeasures, offered: ReadonlySet<string>): ProviderMeasuresType {
  return {
    provider: measures.provider,
    figures: pickFigures(measures),
    days: measures.days.map(({ startMs, uptimePercent }) => ({ start: startMs, uptimePercent })),
    models: measures.models
      .filter(({ model }) => offered.has(model))
      .map((figures) => ({ model: figures.model, figures: pickFigures(figures) })),
  };
}

function pickFigures({ uptimePercent, p50Ms, p95Ms, firstByteP50Ms }: ServiceFigures): FiguresType {
  return { uptimePercent, p50Ms, p95Ms, firstByteP50Ms };
}
