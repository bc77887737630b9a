import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createInterface, type Interface } from 'node:readline';
import { endingWith } from '../../test/ledger-fixture.js';
import { makeTestFolder } from '../../test/test-folder.js';

/** As containers do: each of these programs is number 1 of a space of processes of its own. */
const inOwnSpace = ['--pid', '--fork', '--kill-child=KILL'];
const ways = [inOwnSpace, ['--user', '--map-root-user', ...inOwnSpace]];
const way = ways.find((words) => spawnSync('unshare', [...words, 'true'], { stdio: 'ignore' }).status === 0);
if (way === undefined)
  console.info('Left out: processes with one number, which need root or user namespaces (unshare).');

(way === undefined ? describe.skip : describe)('containers that share a spool folder, each process number 1', () => {
  let folder: string;
  const running: ChildProcess[] = [];
  beforeEach(() => {
    folder = makeTestFolder('spool');
  });
  afterEach(async () => {
    for (const child of running.splice(0)) await end(child);
  });

  /** @returns what the program says of itself once its spool stands, and itself. */
  async function start(keeps: number | null) {
    const child = spawn(
      'unshare',
      [...(way ?? []), process.execPath, '--input-type=module', '-e', program(folder, keeps)],
      {
        stdio: ['pipe', 'pipe', 'inherit'],
      },
    );
    running.push(child);
    const lines: Interface = createInterface({ input: child.stdout });
    const [line] = (await once(lines, 'line')) as [string];
    const ask = async () => {
      const answered = once(lines, 'line') as Promise<[string]>;
      child.stdin.write('look\n');
      return JSON.parse((await answered)[0]) as string[];
    };
    return { child, said: JSON.parse(line) as { pid: number; found: string[] }, ask };
  }

  it('take nothing from one that lives, and all from one that was killed, whatever their numbers', async () => {
    const first = await start(1);
    const second = await start(2);
    expect([first.said, second.said]).toEqual([
      { pid: 1, found: [] },
      { pid: 1, found: [] },
    ]);
    expect(await second.ask()).toEqual(['call_2']);
    expect(await first.ask()).toEqual(['call_1']);
    await end(first.child);
    // Whoever comes next, or the one that is there: the lock has ended with its process.
    const third = await start(null);
    expect(third.said).toEqual({ pid: 1, found: ['call_1'] });
    expect(await second.ask()).toEqual(['call_2']);
    expect(readdirSync(folder).filter((name) => name.endsWith('.slots')).length).toBeGreaterThanOrEqual(2);
  }, 60_000);
});

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  child.kill('SIGKILL');
  await closed;
}

function program(folder: string, keeps: number | null): string {
  const module = new URL('./settlement-spool.js', import.meta.url);
  const input = { callId: `call_${keeps}`, accountId: 'acct_1', ending: endingWith(7, 1) };
  return `
    import { createInterface } from 'node:readline';
    import { SettlementSpool } from ${JSON.stringify(module)};
    const logger = { info() {}, warn() {}, error() {} };
    const spool = new SettlementSpool(${JSON.stringify(folder)}, 'container', logger);
    await spool.ready;
    const list = () => [...spool.listKept()].map(({ input }) => input.callId);
    const found = list();
    ${keeps === null ? '' : `await spool.keep(${JSON.stringify(input)});`}
    console.log(JSON.stringify({ pid: process.pid, found }));
    createInterface({ input: process.stdin }).on('line', async () => {
      await spool.lookNow();
      console.log(JSON.stringify(list()));
    });`;
}
