import { packageProgram, runStep, StepFailedError } from './run-step.mjs';

/** Format, lint and types; each counts as one test. @returns {Promise<{ passed: number, failures: string[] }>} */
export async function runStaticChecks() {
  const tsc = packageProgram('typescript', 'tsc');
  const checks = [
    { title: 'Format and lint', command: [...packageProgram('@biomejs/biome', 'biome'), 'ci', '--colors=off'] },
    { title: 'Types of the dashboard', command: [...tsc, '--noEmit', '--project', 'web/tsconfig.json'] },
    { title: 'Types of the scripts', command: [...tsc, '--noEmit', '--project', 'scripts/tsconfig.json'] },
  ];
  let passed = 0;
  /** @type {string[]} */
  const failures = [];
  for (const check of checks) {
    try {
      await runStep({ ...check, isQuiet: true });
      passed += 1;
      console.log(`${check.title}: passed.`);
    } catch (error) {
      if (!(error instanceof StepFailedError)) throw error;
      failures.push(error.message);
      console.error(error.message);
    }
  }
  return { passed, failures };
}
