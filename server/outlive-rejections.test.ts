import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const module = fileURLToPath(new URL('./outlive-rejections.js', import.meta.url));

describe('outliveRejections', () => {
  it('tells of a promise that failed with nobody waiting, and the process goes on', async () => {
    const script = `
      const { outliveRejections } = await import(${JSON.stringify(module)});
      outliveRejections({ error: (event, { error }) => console.log(event, error.message) });
      Promise.reject(new Error('one'));
      Promise.reject('two');
      setTimeout(() => console.log('still here'), 20);
    `;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
    expect(stdout).toBe('unhandled_rejection one\nunhandled_rejection two\nstill here\n');
  });
});
