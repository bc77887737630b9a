import type { OperatorServices, WithServices } from '../open-operator-services.js';
import { asWords, need, type OperatorCommand, UsageError } from '../operator-program.js';

export const priceGroupUsage = `  price-group list [--json]  groups of accounts that pay a part, or a multiple, of the list price
  price-group create <name> --multiplier 800 --reason "…"
                             creates one; the multiplier is in per mille: 800 is 20 % off, 1250 a quarter more
  price-group set <name> --multiplier 800 --reason "…"
                             changes what all its accounts pay; running calls keep their price
  price-group assign <account> --group <name> | --none --reason "…"
                             puts an account into a group, or with --none back to the list price`;

type Desk = ReturnType<OperatorServices['openPriceGroups']>;

/** What an operator sets of price groups by hand. Every change is in the operator's log. */
export function listPriceGroupCommands(withServices: WithServices): Readonly<Record<string, OperatorCommand>> {
  const withDesk = (work: (desk: Desk) => Promise<void>) =>
    withServices(({ openPriceGroups }) => asWords(work(openPriceGroups())));
  const pay = (verb: 'create' | 'set', done: string): OperatorCommand => ({
    options: ['multiplier', 'reason'],
    subject: 'the name',
    isSubjectText: true,
    run: (name, { multiplier, reason }) => {
      const perMille = readMultiplier(multiplier);
      const words = need(reason, '--reason');
      return withDesk(async (desk) => {
        await desk[verb](name, perMille, words);
        console.log(`The price group ${name} ${done} ${perMille} per mille of the list price.`);
      });
    },
  });
  return {
    'price-group list': {
      flags: ['json'],
      run: (_, { json }) => withDesk((desk) => listGroups(desk, json !== undefined)),
    },
    'price-group create': pay('create', 'is made, and pays'),
    'price-group set': pay('set', 'pays from now on'),
    'price-group assign': {
      options: ['group', 'reason'],
      flags: ['none'],
      subject: 'the account',
      run: (accountId, { group, none, reason }) => {
        if ((group === undefined) === (none === undefined)) throw new UsageError('Name --group, or say --none.');
        const words = need(reason, '--reason');
        return withDesk(async (desk) => {
          await desk.assign(accountId, group ?? null, words);
          const standing = group === undefined ? 'in no price group' : `in the price group ${group}`;
          console.log(`The account ${accountId} is ${standing}, on every server.`);
        });
      },
    },
  };
}

async function listGroups(desk: Desk, isJson: boolean): Promise<void> {
  const groups = await desk.list();
  if (isJson) console.log(JSON.stringify(groups, null, 2));
  if (isJson) return;
  if (groups.length === 0) console.log('There are no price groups: all accounts pay the list price.');
  for (const { name, multiplier, accountCount } of groups)
    console.log(`${name}  ${multiplier} per mille of the list price  ${accountCount} accounts`);
}

function readMultiplier(text: string | undefined): number {
  if (/^\d{1,6}$/.test(need(text, '--multiplier'))) return Number(text);
  throw new UsageError('--multiplier is a whole number of per mille: 800 is 20 % off, 1000 the list price.');
}
