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
import { type GraphqlContext, requirePerson } from '../schema/graphql-context.js';
import { ItemFields, ItemInputFields, NamedItemFields, toItemFields } from './item-fields.graphql.js';
import { type ItemOwner, type PersonalItemKind, type PersonalItems, personalItemKinds } from './personal-items.js';

const PersonalItemKinds = {
  CONVERSATION: 'conversation',
  PLAYGROUND_SETTINGS: 'playground_settings',
} as const satisfies Record<string, PersonalItemKind>;

registerEnumType(PersonalItemKinds, {
  name: 'PersonalItemKind',
  description: 'What a member keeps for themselves.',
  valuesConfig: {
    CONVERSATION: { description: 'A conversation of the playground: `turns`. 20 are kept.' },
    PLAYGROUND_SETTINGS: { description: 'How the playground asks: model, system prompt, parameters. One is kept.' },
  },
});

@ObjectType('PersonalItem', {
  description: 'Something of the dashboard that a member keeps in an account for themselves.',
})
class PersonalItemType extends ItemFields {
  @Field(() => PersonalItemKinds, { description: 'What it is.' })
  kind!: PersonalItemKind;
}

@InputType('PersonalItemInput', { description: 'What is to be kept.' })
class PersonalItemInput extends ItemInputFields {
  @IsIn(personalItemKinds)
  @Field(() => PersonalItemKinds, { description: 'What it is.' })
  kind!: PersonalItemKind;
}

@ArgsType()
class NamedPersonalItemArgs extends NamedItemFields {
  @IsIn(personalItemKinds)
  @Field(() => PersonalItemKinds, { description: 'What it is.' })
  kind!: PersonalItemKind;
}

@Resolver()
export class PersonalItemsResolver {
  constructor(private readonly items: Pick<PersonalItems, 'list' | 'save' | 'remove' | 'removeAll'>) {}

  @Access({ keys: 'none', members: everybody })
  @Query(() => [PersonalItemType], {
    description:
      'What the signed-in person keeps of a kind in this account, in the order of the names. Nobody else reads it.',
  })
  personalItems(
    @Arg('kind', () => PersonalItemKinds, { description: 'Which kind.' }) kind: PersonalItemKind,
    @Ctx() context: GraphqlContext,
  ): Promise<PersonalItemType[]> {
    return this.#list(requirePerson(context), kind);
  }

  // As the playground, whose conversations it keeps.
  @Access({ keys: 'none', members: builders })
  @Mutation(() => [PersonalItemType], {
    description:
      'Keeps something in this account for the signed-in person only, and answers all of its kind. Beyond 20 conversations, or 500,000 bytes in all, those saved longest ago are forgotten.',
  })
  async savePersonalItem(
    @Arg('input', () => PersonalItemInput, { description: 'What is to be kept.' }) input: PersonalItemInput,
    @Ctx() context: GraphqlContext,
  ): Promise<PersonalItemType[]> {
    const owner = requirePerson(context);
    await this.items.save(owner, input);
    return this.#list(owner, input.kind);
  }

  // What a person keeps is theirs, and so they may delete it as whatever they are.
  @Access({ keys: 'none', members: everybody })
  @Mutation(() => [PersonalItemType], { description: 'Deletes it, and answers what is left of its kind.' })
  async deletePersonalItem(
    @Args(() => NamedPersonalItemArgs) { kind, name }: NamedPersonalItemArgs,
    @Ctx() context: GraphqlContext,
  ): Promise<PersonalItemType[]> {
    const owner = requirePerson(context);
    await this.items.remove(owner, kind, name);
    return this.#list(owner, kind);
  }

  @Access({ keys: 'none', members: everybody })
  @Mutation(() => Boolean, { description: 'Deletes everything that the signed-in person keeps in this account.' })
  async deletePersonalItems(@Ctx() context: GraphqlContext): Promise<boolean> {
    await this.items.removeAll(requirePerson(context));
    return true;
  }

  async #list(owner: ItemOwner, kind: PersonalItemKind): Promise<PersonalItemType[]> {
    const items = await this.items.list(owner, kind);
    return items.map((item) => ({ kind, ...toItemFields(item) }));
  }
}
