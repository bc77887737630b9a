import { readFile } from 'node:fs/promises';
import { need, type ProgramOptions, readWholeNumber, UsageError } from './operator-program.js';
import { change, changeOf, json, query, type RemoteCommand, reasonOf, reasonOnly, toEnum } from './remote-question.js';

const modelChange =
  'modelId kind before after tierBefore tierAfter areRoutesChanged areLimitsChanged costs { providerId inputBefore inputAfter outputBefore outputAfter }';
const pricesToApply = async (file: string, { from }: ProgramOptions) => ({
  document: await readFile(file, 'utf8').catch(() => {
    throw new UsageError(`${file} cannot be read. Name a file with tiers, models and costs.`);
  }),
  effectiveAt: from ?? null,
});
const groupCommand = (name: string): RemoteCommand => ({
  options: ['multiplier', 'reason'],
  flags: json,
  subject: 'the name',
  isSubjectText: true,
  document: change(`${name}(input: $input)`, '$input: OperatorPriceGroupInput!'),
  toVariables: (group, { multiplier, ...options }) => ({
    input: {
      name: group,
      multiplier: readWholeNumber(need(multiplier, '--multiplier'), '--multiplier'),
      reason: reasonOf(options),
    },
  }),
});

/** Providers, prices and price groups, as a server elsewhere is asked for them. */
export const remotePriceCommands: Readonly<Record<string, RemoteCommand>> = {
  'provider list': {
    flags: json,
    document: query('providers { id name isOn setIn state rank address models keys { id masked weight setIn } }'),
  },
  'provider test': {
    options: ['key'],
    flags: json,
    subject: 'the provider',
    document: change(
      'testProvider(id: $id, keyId: $keyId) { isAnswered model status message durationMs }',
      '$id: ID!, $keyId: ID',
    ),
    toVariables: (id, { key }) => ({ id, keyId: key ?? null }),
  },
  'provider remove-key': changeOf('removeProviderKey', 'keyId', 'the key'),
  'provider times': {
    options: ['by', 'last'],
    flags: json,
    document: query(
      'callTimes(by: $by, last: $last) { groups { name calls failedCalls errorRate p50Ms p95Ms p99Ms firstByteP50Ms firstByteP95Ms } }',
      '($by: OperatorCallTimesBy!, $last: OperatorCallTimesLast!)',
    ),
    toVariables: (_, { by = 'provider', last = 'hour' }) => ({ by: toEnum(by), last: toEnum(last) }),
  },
  'prices list': {
    flags: json,
    document: query(
      'prices { models { id tier creditsPerThousandTokens setIn } versions { number effectiveAt createdBy isInForce withdrawnAt } }',
    ),
  },
  'prices preview': {
    options: ['from', 'reason'],
    flags: json,
    subject: 'the file',
    isSubjectText: true,
    document: query(`previewPrices(input: $input) { ${modelChange} }`, '($input: OperatorPricePreviewInput!)'),
    toVariables: async (file, options) => ({ input: await pricesToApply(file, options) }),
  },
  'prices apply': {
    options: ['from', 'reason'],
    flags: json,
    subject: 'the file',
    isSubjectText: true,
    document: change(
      `applyPrices(input: $input) { number effectiveAt changes { ${modelChange} } }`,
      '$input: OperatorPricesInput!',
    ),
    toVariables: async (file, options) => ({
      input: { ...(await pricesToApply(file, options)), reason: reasonOf(options) },
    }),
  },
  'prices withdraw': {
    options: reasonOnly,
    flags: json,
    subject: 'the number',
    document: change('withdrawPrices(number: $number, reason: $reason)', '$number: Int!, $reason: String!'),
    toVariables: (number, options) => ({ number: readWholeNumber(number, 'the number'), reason: reasonOf(options) }),
  },
  'price-group list': { flags: json, document: query('priceGroups { name multiplier accountCount createdAt }') },
  'price-group create': groupCommand('createPriceGroup'),
  'price-group set': groupCommand('setPriceGroup'),
  'price-group assign': {
    options: ['group', 'reason'],
    flags: ['none', ...json],
    subject: 'the account',
    document: change('assignPriceGroup(input: $input)', '$input: OperatorPricedAccountInput!'),
    toVariables: (accountId, { group, none, ...options }) => ({
      input: {
        accountId,
        reason: reasonOf(options),
        group: none === undefined ? need(group, '--group, or --none') : null,
      },
    }),
  },
};
