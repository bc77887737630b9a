import { describeLimits } from '../../operator/accounts/account-limit-desk.js';
import type { OperatorServices, WithServices } from '../open-operator-services.js';
import {
  asWords,
  need,
  type OperatorCommand,
  type ProgramOptions,
  readWholeNumber,
  UsageError,
} from '../operator-program.js';

export const limitUsage = `  limit show <account> [--json]
                             its own limits: requests and tokens per minute, calls at once, keys, models
  limit set <account> [--requests 600] [--tokens 1000000] [--calls 128] [--keys 5] [--models gpt-4o,o1] --reason "…"
                             sets all of them; an option that is left out is reset to the server's limit`;

/** The limits of single accounts. Every change is in the operator's log. */
export function listLimitCommands(withServices: WithServices): Readonly<Record<string, OperatorCommand>> {
  return {
    'limit show': {
      flags: ['json'],
      subject: 'the account',
      run: (accountId, { json }) => withServices((services) => show(services, accountId, json !== undefined)),
    },
    'limit set': {
      options: ['requests', 'tokens', 'calls', 'keys', 'models', 'reason'],
      subject: 'the account',
      run: (accountId, options) => {
        const [limits, words] = [readLimits(options), need(options.reason, '--reason')];
        return withServices(async ({ accountLimits }) => {
          await asWords(accountLimits.set(accountId, limits, words));
          console.log(`The account ${accountId} has ${describeLimits(limits)}.`);
        });
      },
    },
  };
}

function readLimits({ requests, tokens, calls, keys, models }: ProgramOptions) {
  return {
    requestsPerMinute: readWholeNumber(requests, '--requests'),
    tokensPerMinute: readWholeNumber(tokens, '--tokens'),
    concurrentCalls: readWholeNumber(calls, '--calls'),
    keysMax: readWholeNumber(keys, '--keys'),
    models: models === undefined ? null : models.split(',').map((name) => name.trim()),
  };
}

async function show({ accountLimits, findAccount }: OperatorServices, accountId: string, isJson: boolean) {
  if ((await findAccount(accountId)) === null)
    throw new UsageError('There is no such account. Its id begins with acct_.');
  const limits = await accountLimits.find(accountId);
  console.log(isJson ? JSON.stringify(limits, null, 2) : `The account ${accountId} has ${describeLimits(limits)}.`);
}
