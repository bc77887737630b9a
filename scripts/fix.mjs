import './check-node-version.mjs';
import { installIfNeeded } from './prepare.mjs';
import { packageProgram, projectRoot, runStep, StepFailedError, stopStepsOnSignal } from './run-step.mjs';

/*
 * `npm run fix`: formats, sorts imports and mends what can be mended without thinking. Arguments are handed to Biome.
 */
process.chdir(projectRoot);
stopStepsOnSignal();
try {
  await installIfNeeded('test');
  const biome = packageProgram('@biomejs/biome', 'biome');
  await runStep({ title: 'Biome', command: [...biome, 'check', '--write', ...process.argv.slice(2)] });
} catch (error) {
  if (!(error instanceof StepFailedError)) throw error;
  console.error(error.message);
  process.exit(1);
}
