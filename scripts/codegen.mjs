import './check-node-version.mjs';
import { generateWebTypes } from './build.mjs';
import { installIfNeeded } from './prepare.mjs';
import { projectRoot, StepFailedError, stopStepsOnSignal } from './run-step.mjs';

/* `npm run codegen`: the types of the dashboard's GraphQL documents, after a change of one or of the schema. */
process.chdir(projectRoot);
stopStepsOnSignal();
try {
  await installIfNeeded('test');
  await generateWebTypes();
} catch (error) {
  if (!(error instanceof StepFailedError)) throw error;
  console.error(error.message);
  process.exit(1);
}
