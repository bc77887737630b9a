import { readMonth } from './commands/money-commands.js';
import { describeRepeat } from './commands/operator-commands.js';
import { need, type ProgramOptions, readCredits, readDay, readWholeNumber } from './operator-program.js';
import { remotePriceCommands } from './remote-price-commands.js';
import { change, changeOf, json, query, type RemoteCommand, reasonOf, reasonOnly, toEnum } from './remote-question.js';

const account = 'id email name closedAt wallet { available held debt isFrozen frozenFor } markedAs';
const shown = `${account} createdAt emailVerifiedAt priceGroup { name multiplier } keys { id name maskedSecret lastUsedAt revokedAt } purchases { id status cents refundedCents credits createdAt } statement { id at type amount balanceAfter } hints { kind words }`;
const limits = 'requestsPerMinute tokensPerMinute concurrentCalls keysMax models';
const sums = 'sales gifts grants refunds refundsReturned disputes disputesReturned added takenBack charged absorbed';
const share = 'name calls promptTokens completionTokens charged absorbed cost callsWithoutCost margin';
const retention = 'days inForceAt reason createdBy createdAt';
const mark = 'id accountId kind note setAt setBy endsAt isHeld';

const creditCommand = (name: string): RemoteCommand => ({
  options: ['credits', 'reason', 'once'],
  flags: json,
  subject: 'the account',
  document: change(
    `${name}(input: $input) { isMoved isRepeat available request { id } }`,
    '$input: OperatorCreditInput!',
  ),
  toVariables: (accountId, { credits, once, ...options }) => ({
    input: { accountId, credits: readCredits(credits) / 1_000, reason: reasonOf(options), ...(once && { once }) },
  }),
  toWords: (facts, accountId) => {
    const move = (facts as Readonly<Record<string, { readonly isRepeat: boolean; readonly available: number }>>)[name];
    return move?.isRepeat ? describeRepeat(accountId, move.available.toFixed(3)) : null;
  },
});

const accountCommands: Readonly<Record<string, RemoteCommand>> = {
  'account find': {
    flags: json,
    subject: 'an e-mail address or an id',
    isSubjectText: true,
    document: query(`accounts(text: $text) { by account { ${account} } }`, '($text: String!)'),
    toVariables: (text) => ({ text }),
  },
  'account show': {
    flags: json,
    subject: 'the account',
    document: query(`account(id: $id) { ${shown} }`, '($id: ID!)'),
    toVariables: (id) => ({ id }),
  },
  'account grant': creditCommand('grantCredits'),
  'account take-back': creditCommand('takeBackCredits'),
  'account freeze': changeOf('freezeAccount', 'accountId', 'the account'),
  'account open': changeOf('openAccount', 'accountId', 'the account'),
  'account mark': {
    options: ['kind', 'note', 'until'],
    flags: json,
    subject: 'the account',
    document: change(`setRiskMark(input: $input) { ${mark} }`, '$input: OperatorRiskMarkInput!'),
    toVariables: (accountId, { kind, note, until }) => ({
      input: {
        accountId,
        kind: toEnum(need(kind, '--kind')),
        note: need(note, '--note'),
        ...(until && { until: new Date(readDay(until, '--until')).toISOString() }),
      },
    }),
  },
  'account unmark': changeOf('clearRiskMark', 'id', 'the mark'),
  'account marks': {
    options: ['kind'],
    flags: json,
    document: query(`riskMarks(kind: $kind, first: 100) { ${mark} }`, '($kind: OperatorRiskMarkKind)'),
    toVariables: (_, { kind }) => ({ kind: kind === undefined ? null : toEnum(kind) }),
  },
  'key revoke': changeOf('revokeKey', 'keyId', 'the key'),
  'limit show': {
    flags: json,
    subject: 'the account',
    document: query(`account(id: $id) { limits { ${limits} } }`, '($id: ID!)'),
    toVariables: (id) => ({ id }),
  },
  'limit set': {
    options: ['requests', 'tokens', 'calls', 'keys', 'models', 'reason'],
    flags: json,
    subject: 'the account',
    document: change('setAccountLimits(input: $input)', '$input: OperatorAccountLimitsInput!'),
    toVariables: (accountId, { requests, tokens, calls, keys, models, ...options }) => ({
      input: {
        accountId,
        reason: reasonOf(options),
        models: models?.split(',').map((name) => name.trim()) ?? null,
        requestsPerMinute: readWholeNumber(requests, '--requests'),
        tokensPerMinute: readWholeNumber(tokens, '--tokens'),
        concurrentCalls: readWholeNumber(calls, '--calls'),
        keysMax: readWholeNumber(keys, '--keys'),
      },
    }),
  },
  log: {
    flags: json,
    document: query('log(first: 100) { id at actor action accountId subject amount reason }'),
  },
  'operator list': { flags: json, document: query('people { id email name role createdAt disabledAt }') },
};

const announceWords = ['reason', 'from', 'until'];
const announce = ({ isMaintenance }: { readonly isMaintenance: boolean }): RemoteCommand => ({
  options: announceWords,
  flags: json,
  subject: 'the text',
  isSubjectText: true,
  document: change(
    'announce(input: $input) { id isMaintenance startsAt endsAt text }',
    '$input: OperatorAnnouncementInput!',
  ),
  toVariables: (text, { from, until, ...options }) => ({
    input: { text, isMaintenance, startsAt: from ?? null, endsAt: until ?? null, reason: reasonOf(options) },
  }),
});
const blockValue = (name: string, answer: string): RemoteCommand => ({
  options: reasonOnly,
  flags: json,
  subject: 'the network or mail domain',
  isSubjectText: true,
  document: change(`${name}(input: $input) ${answer}`, '$input: OperatorSignUpBlockInput!'),
  toVariables: (value, options) => ({ input: { value, reason: reasonOf(options) } }),
});

const everybodyCommands: Readonly<Record<string, RemoteCommand>> = {
  'sign-up show': { flags: json, document: query('signUp { mode reason setAt setBy isMailSent }') },
  'sign-up set': {
    options: reasonOnly,
    flags: json,
    subject: 'open, invited or closed',
    document: change('setSignUpMode(input: $input)', '$input: OperatorSignUpModeInput!'),
    toVariables: (mode, options) => ({ input: { mode: toEnum(mode), reason: reasonOf(options) } }),
  },
  'invite create': {
    options: reasonOnly,
    flags: json,
    subject: 'the e-mail',
    isSubjectText: true,
    document: change(
      'inviteToSignUp(input: $input) { link invitation { id email expiresAt } }',
      '$input: OperatorInviteInput!',
    ),
    toVariables: (email, options) => ({ input: { email, isMailed: false, reason: reasonOf(options) } }),
  },
  'invite list': { flags: json, document: query('signUp { invitations { id email createdBy expiresAt } }') },
  'invite withdraw': changeOf('withdrawInvitation', 'id', 'the id'),
  'block list': { flags: json, document: query('signUpBlocks { value reason createdBy createdAt }') },
  'block add': blockValue('blockSignUps', '{ value reason }'),
  'block remove': blockValue('unblockSignUps', ''),
  'announcement list': {
    flags: json,
    document: query('announcements { id isMaintenance text startsAt endsAt createdBy }'),
  },
  'announcement add': announce({ isMaintenance: false }),
  'announcement end': changeOf('endAnnouncement', 'id', 'the id'),
  'maintenance begin': announce({ isMaintenance: true }),
  'retention show': {
    flags: json,
    document: query(
      `dataRetention { receiptDays choice { ${retention} } next { ${retention} } oldestReceiptAt isExported others { what days words } }`,
    ),
  },
  status: {
    flags: json,
    document: query(
      'watch { processes { id version isSilent reportedAt callsRunning streamsOpen queuedOperations lastMinute { calls failedCalls refusals tokens } leases { count leased } jobs { name lastDoneAt } } outbox { waiting givenUp } settlements { waiting quarantined } audit { violations } quarantinedEvents { id } }',
    ),
  },
};

const toMonth = (_: string, { month }: ProgramOptions) => {
  const { fromMs, toMs } = readMonth(month);
  return { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() };
};
const range = '$from: DateTime!, $to: DateTime!';

const moneyCommands: Readonly<Record<string, RemoteCommand>> = {
  'money show': {
    options: ['month'],
    flags: json,
    document: query(
      `money(from: $from, to: $to) { opening sums { ${sums} } closing summedUntil } liability { total unbookedUse summedUntil }`,
      `(${range})`,
    ),
    toVariables: toMonth,
  },
  'money usage': {
    options: ['month', 'by'],
    flags: json,
    document: query(
      `money(from: $from, to: $to) { usage(by: $by, first: 500) { groups { ${share} } total { ${share} } otherGroups summedUntil } }`,
      `(${range}, $by: OperatorUsageBy!)`,
    ),
    toVariables: (subject, { by = 'model', ...options }) => ({ ...toMonth(subject, options), by: toEnum(by) }),
  },
  'money close': {
    options: ['month'],
    document: query('monthClose(month: $month)', '($month: String!)'),
    toVariables: (_, { month }) => ({ month: need(month, '--month') }),
  },
  'purchase refund': {
    options: ['reason', 'cents', 'once'],
    flags: json,
    subject: 'the purchase',
    document: change('refundPurchase(input: $input) { id state cents credits fault }', '$input: OperatorRefundInput!'),
    toVariables: (purchaseId, { cents, once, ...options }) => ({
      input: { purchaseId, cents: readWholeNumber(cents, '--cents'), reason: reasonOf(options), ...(once && { once }) },
    }),
  },
  'event list': {
    flags: json,
    document: query('watch { quarantinedEvents { id type purchaseId reason receivedAt } }'),
  },
  'event retry': {
    flags: json,
    subject: 'the event',
    document: change('retryQuarantinedEvent(id: $id) { fits reason }', '$id: ID!'),
    toVariables: (id) => ({ id }),
  },
  'event dismiss': changeOf('dismissQuarantinedEvent', 'id', 'the event'),
};

const giftCommands: Readonly<Record<string, RemoteCommand>> = {
  'gift-code create': {
    options: ['credits', 'count', 'expires', 'reason', 'once'],
    flags: json,
    document: change('createGiftCodes(input: $input) { code id }', '$input: OperatorGiftCodesInput!'),
    toVariables: (_, { credits, count, expires, once, ...options }) => ({
      input: {
        credits: readCredits(credits) / 1_000,
        count: readWholeNumber(count, '--count') ?? 1,
        ...(expires && { expiresAt: new Date(readDay(expires, '--expires')).toISOString() }),
        reason: reasonOf(options),
        ...(once && { once }),
      },
    }),
  },
  'gift-code list': {
    flags: json,
    document: query('giftCodes(first: 100) { id hint credits state expiresAt claimedBy }'),
  },
  'gift-code revoke': changeOf('revokeGiftCode', 'id', 'the id'),
  'settlements list': {
    flags: json,
    document: query('quarantinedSettlements { callId accountId promptTokens completionTokens reason refusedAt }'),
  },
  'settlements book': changeOf('bookSettlement', 'callId', 'the call'),
  'settlements dismiss': changeOf('dismissSettlement', 'callId', 'the call'),
};

/** What a server elsewhere is asked to do, under the names of the commands on its own machine. */
export const remoteCommands: Readonly<Record<string, RemoteCommand>> = {
  ...accountCommands,
  ...everybodyCommands,
  ...moneyCommands,
  ...giftCommands,
  ...remotePriceCommands,
};
