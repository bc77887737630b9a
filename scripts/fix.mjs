import './check-node-version.mjs';
import { installIfNeeded } from './prepare.mjs';
import { packageProgram, runScript, runStep } from './run-step.mjs';

/*
 * `npm run fix`: formats, sorts imports and mends what can be mended without thinking. Arguments are handed to Biome.
 */
await runScript(async () => {
  await installIfNeeded('test');
  const biome = packageProgram('@biomejs/biome', 'biome');
  await runStep({ title: 'Biome', command: [...biome, 'check', '--write', ...process.argv.slice(2)] });
});
