import type { CodegenConfig } from '@graphql-codegen/cli';

/** Types every GraphQL document of the dashboard against the emitted schema. Scalars not named here stay `unknown`. */
const config: CodegenConfig = {
  schema: '../schema.graphql',
  documents: ['src/**/*.{ts,tsx}', '!src/gql/**'],
  generates: {
    'src/gql/': {
      preset: 'client',
      presetConfig: { fragmentMasking: false },
      config: {
        defaultScalarType: 'unknown',
        enumsAsTypes: true,
        scalars: { Count: 'number', Credits: 'number', DateTime: 'string' },
        strictScalars: true,
        useTypeImports: true,
      },
    },
  },
};

export default config;
