import { accessOf } from '../schema/access.js';
import { describeProof } from './fresh-factor.js';
import { buildGraphqlSchema } from './graphql-schema.js';
import { resolverClasses } from './resolvers.js';

const schema = buildGraphqlSchema(resolverClasses, new Map());
const mutations = schema.getMutationType()?.getFields() ?? {};
const asking = Object.values(mutations).filter((field) => accessOf(field).proof !== undefined);

describe('A fresh proof', () => {
  it.each(asking.map((field) => [field.name, field] as const))(
    'is asked for by %s, whose description says so',
    (_, field) => {
      expect(field.description).toContain(describeProof(accessOf(field).proof));
    },
  );

  it('is asked for by every change of a factor, the card, the password and the end of an account', () => {
    // What a session began after its proof it may finish.
    const dangerous = Object.keys(mutations).filter(
      (name) =>
        /^(start|remove|renew).*(App|Passkey|RecoveryCodes)$/.test(name) ||
        /^(startCardSetup|openBillingPortal|setAutoTopUp|createApiKey|updateApiKey|rotateApiKey|changePassword|deleteAccount|startIdentityLink|unlinkIdentity)$/.test(
          name,
        ),
    );
    expect(asking.map(({ name }) => name)).toEqual(expect.arrayContaining(dangerous));
  });
});
