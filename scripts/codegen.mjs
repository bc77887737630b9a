import './check-node-version.mjs';
import { generateWebTypes } from './build.mjs';
import { installIfNeeded } from './prepare.mjs';
import { runScript } from './run-step.mjs';

/* `npm run codegen`: the types of the dashboard's GraphQL documents, after a change of one or of the schema. */
await runScript(async () => {
  await installIfNeeded('test');
  await generateWebTypes();
});
