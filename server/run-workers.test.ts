import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

/** The program of Node.js that workers are started by is not there at first, which fails as a system without room for one more process. */
const program = `
  import { WorkerPool } from '${new URL('./run-workers.js', import.meta.url).href}';
  const { execPath } = process;
  process.execPath = '/nowhere/node';
  const lines = [];
  const say = (event, facts) => {
    console.log(event, facts.endedWith, facts.replacedInMs);
    lines.push(event);
    if (lines.length === 2) process.execPath = execPath;
  };
  const pool = new WorkerPool(1, { info: say, warn: say, error: say });
  pool.listen().then(() => console.log('listens'), (error) => {
    console.log(error.message);
    process.exit(0);
  });
`;

describe('A server in several processes', () => {
  it('goes on where the system gives it no process for a worker, and tries again after a while', async () => {
    // What does start is refused by its settings, which shows that it was one.
    const env = { PATH: process.env.PATH, NODE_ENV: 'production', DATABASE_URL: 'none' };
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], { env, timeout: 60_000 });
    const [said] = await Promise.all([text(child.stdout), text(child.stderr)]);
    expect(said.trim().split('\n')).toEqual([
      'worker_died ENOENT 250',
      'worker_died ENOENT 500',
      'A worker ended with 1 while starting.',
    ]);
  }, 90_000);
});
