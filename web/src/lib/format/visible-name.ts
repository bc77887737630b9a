// As in the server: what Unicode lets be ignored is not seen, and Braille has a symbol without a dot.
const visible = /(?![\p{Default_Ignorable_Code_Point}\u2800])[\p{L}\p{N}\p{P}\p{S}]/u;

const noVisibleName = '(no visible name)';

/** Whether anything of a text is seen by itself: not of one that holds spaces, joiners, fillers and marks alone. */
export function hasVisible(text: string): boolean {
  return visible.test(text);
}

/** A name as it is shown: one of which nothing is seen, from before such names were refused, has words in its place. */
export function shownName(name: string): string {
  return hasVisible(name) ? name : noVisibleName;
}

const read = (name: unknown) => (typeof name === 'string' ? shownName(name) : name);
const shownNamed = { fields: { name: { read } } };

/** For the caches of GraphQL clients: every page reads the names that people give as `shownName` has them. */
export const shownNames = {
  Account: shownNamed,
  AccountEvent: { fields: { personName: { read } } },
  AccountOfPerson: shownNamed,
  ApiKey: shownNamed,
  InvitationOffer: { fields: { accountName: { read } } },
  Member: shownNamed,
  Passkey: shownNamed,
  Person: shownNamed,
  WebhookEndpoint: shownNamed,
  OperatorAccount: shownNamed,
  OperatorIdentity: shownNamed,
  OperatorKey: shownNamed,
  OperatorPasskey: shownNamed,
  OperatorPerson: shownNamed,
  OperatorToken: { fields: { name: { read }, operatorName: { read } } },
};
