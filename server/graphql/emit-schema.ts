import { writeFileSync } from 'node:fs';
import { buildGraphqlSchema, printGraphqlSchema } from './graphql-schema.js';
import { resolverClasses } from './resolvers.js';

// Run from the root of the repository. What it writes is committed and reviewed like code.
writeFileSync('schema.graphql', printGraphqlSchema(buildGraphqlSchema(resolverClasses, new Map())));
