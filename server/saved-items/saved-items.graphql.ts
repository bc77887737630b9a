import { IsIn } from 'class-validator';
import {
  Arg,
  Args,
  ArgsType,
  Ctx,
  Field,
  InputType,
  Mutation,
  ObjectType,
  Query,
  Resolver,
  registerEnumType,
} from 'type-graphql';
import { Access, builders, everybody } from '../schema/access.js';
import { type GraphqlContext, requireSession } from '../schema/graphql-context.js';
import { ItemFields, ItemInputFields, NamedItemFields, toItemFields } from './item-fields.graphql.js';
import { type SavedItemKind, type SavedItems, savedItemKinds } from './saved-items.js';

const SavedItemKinds = {
  PROMPT: 'prompt',
  REQUEST_FILTER: 'request_filter',
  EXPLORE_VIEW: 'explore_view',
} as const satisfies Record<string, SavedItemKind>;

registerEnumType(SavedItemKinds, {
  name: 'SavedItemKind',
  description: 'What an account keeps under a name.',
  valuesConfig: {
    PROMPT: { description: 'A prompt of the playground: `system` and `question`.' },
    REQUEST_FILTER: {
      description: 'Filters and columns of the requests: `search`, as the address of the page has it.',
    },
    EXPLORE_VIEW: { description: 'A view of explore: `search`, as the address of the page has it.' },
  },
});

@ObjectType('SavedItem', { description: 'Something of the dashboard that an account keeps for its members.' })
class SavedItemType extends ItemFields {
  @Field(() => SavedItemKinds, { description: 'What it is.' })
  kind!: SavedItemKind;
}

@InputType('SavedItemInput', { description: 'What is to be kept.' })
class SavedItemInput extends ItemInputFields {
  @IsIn(savedItemKinds)
  @Field(() => SavedItemKinds, { description: 'What it is.' })
  kind!: SavedItemKind;
}

@ArgsType()
class NamedItemArgs extends NamedItemFields {
  @IsIn(savedItemKinds)
  @Field(() => SavedItemKinds, { description: 'What it is.' })
  kind!: SavedItemKind;
}

@Resolver()
export class SavedItemsResolver {
  constructor(private readonly items: Pick<SavedItems, 'list' | 'save' | 'remove'>) {}

  // People write it, and prompts may tell more than usage does.
  @Access({ keys: 'none', members: everybody })
  @Query(() => [SavedItemType], {
    description: 'What the account keeps of a kind, in the order of the names; at most 50.',
  })
  savedItems(
    @Arg('kind', () => SavedItemKinds, { description: 'Which kind.' }) kind: SavedItemKind,
    @Ctx() context: GraphqlContext,
  ): Promise<SavedItemType[]> {
    return this.#list(requireSession(context).accountId, kind);
  }

  @Access({ keys: 'none', members: builders })
  @Mutation(() => [SavedItemType], {
    description: 'Keeps something for all members of the account, and answers all of its kind.',
  })
  async saveItem(
    @Arg('input', () => SavedItemInput, { description: 'What is to be kept.' }) input: SavedItemInput,
    @Ctx() context: GraphqlContext,
  ): Promise<SavedItemType[]> {
    const { accountId } = requireSession(context);
    await this.items.save(accountId, input);
    return this.#list(accountId, input.kind);
  }

  @Access({ keys: 'none', members: builders })
  @Mutation(() => [SavedItemType], { description: 'Deletes it for all members, and answers what is left of its kind.' })
  async deleteSavedItem(
    @Args(() => NamedItemArgs) { kind, name }: NamedItemArgs,
    @Ctx() context: GraphqlContext,
  ): Promise<SavedItemType[]> {
    const { accountId } = requireSession(context);
    await this.items.remove(accountId, kind, name);
    return this.#list(accountId, kind);
  }

  async #list(accountId: string, kind: SavedItemKind): Promise<SavedItemType[]> {
    const items = await this.items.list(accountId, kind);
    return items.map((item) => ({ kind, ...toItemFields(item) }));
  }
}
