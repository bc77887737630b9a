import { packageProgram, runStep, StepFailedError } from './run-step.mjs';

/** Format, lint and types; each counts as one test. @returns {Promise<import('./test-progress.mjs').Counts>} */
export async function runStaticChecks() {
  const tsc = packageProgram('typescript', 'tsc');
  const checks = [
    { title: 'Format and lint', command: [...packageProgram('@biomejs/biome', 'biome'), 'ci', '--colors=off'] },
    { title: 'Types of the dashboard', command: [...tsc, '--noEmit', '--project', 'web/tsconfig.json'] },
    { title: 'Types of the scripts', command: [...tsc, '--noEmit', '--project', 'scripts/tsconfig.json'] },
  ];
  const sum = { passed: 0, failed: 0, skipped: 0 };
  for (const check of checks) {
    try {
      await runStep({ ...check, isQuiet: true });
      sum.passed += 1;
      console.log(`${check.title}: passed.`);
    } catch (error) {
      if (!(error instanceof StepFailedError)) throw error;
      sum.failed += 1;
      console.error(error.message);
    }
  }
  return sum;
}
