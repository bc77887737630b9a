import { describeFreshness, freshOperations } from './fresh-operations.js';
import { buildGraphqlSchema } from './graphql-schema.js';
import { resolverClasses } from './resolvers.js';

const schema = buildGraphqlSchema(resolverClasses, new Map());
const mutations = schema.getMutationType()?.getFields() ?? {};

describe('The table of operations that ask for a fresh proof', () => {
  it.each(Object.keys(freshOperations))('names %s, which is there and says so in its description', (name) => {
    expect(mutations[name]?.description).toContain(describeFreshness(name));
  });

  it('has every change of a factor, the card, the password and the end of an account', () => {
    // What a session began after its proof it may finish.
    const dangerous = Object.keys(mutations).filter(
      (name) =>
        /^(start|remove|renew).*(App|Passkey|RecoveryCodes)$/.test(name) ||
        /^(startCardSetup|openBillingPortal|changePassword|deleteAccount|startIdentityLink|unlinkIdentity)$/.test(name),
    );
    expect(Object.keys(freshOperations)).toEqual(expect.arrayContaining(dangerous));
  });
});
