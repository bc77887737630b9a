import { once } from 'node:events';
import { closeSync, constants, existsSync, openSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { findRepositoryRoot } from '../../server/test/architecture/source-tree.js';
import {
  databaseUrlOf,
  describeOnMysql,
  openSqliteDatabase,
  type TestDatabase,
} from '../../server/test/each-database.js';
import { eventually, eventuallyFind } from '../../server/test/eventually.js';
import { findBaseUrl, type RunningProgram, runProgramFile } from '../../server/test/running-program.js';
import { giveSchema } from '../../server/test/schema-template.js';
import { makeTestFolder } from '../../server/test/test-folder.js';

const main = join(findRepositoryRoot(import.meta.dirname), 'dist/server/main.js');
const body = '{"query":"{ __typename }"}';
const head = `POST /graphql HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n`;

/** A question of which the last byte is still to be sent. */
class SlowQuestion {
  #answer = '';
  #isOver = false;

  private constructor(private readonly socket: Socket) {
    socket.setEncoding('utf8').on('data', (piece: string) => {
      this.#answer += piece;
    });
    socket
      .on('error', () => {})
      .on('close', () => {
        this.#isOver = true;
      });
  }

  static async begin(port: number): Promise<SlowQuestion> {
    const socket = connect(port, '127.0.0.1');
    const question = new SlowQuestion(socket);
    socket.write(head + body.slice(0, -1));
    // The server has the connection once it has answered another one that came later.
    await fetch(`http://127.0.0.1:${port}/livez`, { headers: { connection: 'close' } });
    return question;
  }

  async end(): Promise<string> {
    this.socket.write(body.slice(-1));
    await eventually(() => this.#isOver);
    return this.#answer.split('\r\n')[0] ?? '';
  }
}

interface Line {
  readonly event: string;
  readonly pid: number;
  readonly port?: number;
}

const listLines = ({ output }: RunningProgram, event: string): Line[] =>
  output()
    .split('\n')
    .filter((text) => text.includes(`"event":"${event}"`) && text.endsWith('}'))
    .map((text) => JSON.parse(text));
const saysEvent = ({ output }: RunningProgram, event: string) => output().includes(`"event":"${event}"`);

function start(
  database: TestDatabase,
  spoolFolder: string,
  settings: Readonly<Record<string, string>>,
  input: 'ignore' | number = 'ignore',
): RunningProgram {
  const all = { PORT: '0', SPOOL_DIR: spoolFolder, DATABASE_URL: databaseUrlOf(database.address), ...settings };
  return runProgramFile(main, [], all, spoolFolder, input);
}

/** The system's own maker of terminals is one. */
const terminals = '/dev/ptmx';
const itAtTerminal = existsSync(terminals) ? it : it.skip;

describe('a server whose terminal is closed', () => {
  itAtTerminal(
    'lets running calls end, also when it is then told by another signal, and ends well',
    async () => {
      const database = await openSqliteDatabase();
      await giveSchema(database);
      const spoolFolder = makeTestFolder('hang-up');
      const terminal = openSync(terminals, constants.O_RDWR | constants.O_NOCTTY);
      const server = start(database, spoolFolder, {}, terminal);
      closeSync(terminal);
      const question = await SlowQuestion.begin(Number(new URL(await findBaseUrl(server)).port));
      server.child.kill('SIGHUP');
      await eventually(() => saysEvent(server, 'server_stopping'));
      // As npm's end has it told.
      server.child.kill('SIGTERM');
      server.child.kill('SIGHUP');
      expect(await question.end()).toBe('HTTP/1.1 200 OK');
      expect(await server.ended).toBe(0);
      expect(saysEvent(server, 'server_stopped')).toBe(true);
      rmSync(spoolFolder, { recursive: true });
      await database.drop();
    },
    120_000,
  );
});

describeOnMysql('a server of several workers that is told to stop while they start', (openTestDatabase) => {
  it('lets the calls end that the first one answers already, starts no more, and ends well', async () => {
    const database = await openTestDatabase();
    await giveSchema(database);
    const spoolFolder = makeTestFolder('early-order');
    const server = start(database, spoolFolder, { WORKERS: '6', SECRETS_KEY: 'k'.repeat(40) });
    const { port } = await eventuallyFind(() => listLines(server, 'worker_listening')[0]);
    const question = await SlowQuestion.begin(Number(port));
    expect(saysEvent(server, 'server_listening')).toBe(false);
    server.child.kill('SIGTERM');
    await eventually(() => saysEvent(server, 'worker_stopping'));
    expect(await question.end()).toBe('HTTP/1.1 200 OK');
    expect([await server.ended, server.log()]).toEqual([0, '']);
    expect(saysEvent(server, 'server_stopped')).toBe(true);
    rmSync(spoolFolder, { recursive: true });
  }, 120_000);
});

/** Linux tells there which processes another one has begun. */
const childrenFile = (pid: unknown) => `/proc/${pid}/task/${pid}/children`;
const listChildren = ({ child }: RunningProgram) =>
  readFileSync(childrenFile(child.pid), 'utf8').split(' ').filter(Boolean).map(Number);
const itOnLinux = existsSync(childrenFile(process.pid)) ? it : it.skip;

describeOnMysql('a server of several workers, one of which ends while it starts', (openTestDatabase) => {
  itOnLinux(
    'replaces one that a signal ended, the first or another, while those that listen go on',
    async () => {
      const database = await openTestDatabase();
      await giveSchema(database);
      const spoolFolder = makeTestFolder('early-end');
      const server = start(database, spoolFolder, { WORKERS: '3', SECRETS_KEY: 'k'.repeat(40) });
      const killed: number[] = [];
      const kill = async (listening: number) => {
        const pid = await eventuallyFind(() => {
          const heard = listLines(server, 'worker_listening').map((line) => line.pid);
          return heard.length < listening ? null : listChildren(server).find((child) => !heard.includes(child));
        });
        process.kill(pid, 'SIGKILL');
        killed.push(pid);
        await eventually(() => listLines(server, 'worker_died').length === killed.length);
      };
      await kill(0);
      await kill(1);
      expect(listLines(server, 'worker_died').map(({ pid }) => pid)).toEqual(killed);
      await findBaseUrl(server);
      await eventually(() => listLines(server, 'worker_listening').length === 3);
      const heard = listLines(server, 'worker_listening').map(({ pid }) => pid);
      expect(listChildren(server).sort()).toEqual(heard.sort());
      server.child.kill('SIGTERM');
      expect([await server.ended, server.log()]).toEqual([0, '']);
      rmSync(spoolFolder, { recursive: true });
    },
    120_000,
  );

  it('ends, and says why, when one cannot start', async () => {
    const database = await openTestDatabase();
    await giveSchema(database);
    const spoolFolder = makeTestFolder('early-end');
    const other = createServer().listen(0);
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const server = start(database, spoolFolder, { WORKERS: '2', PORT: String(port), SECRETS_KEY: 'k'.repeat(40) });
    expect(await server.ended).toBe(1);
    expect(server.log()).toContain(String(port));
    expect(server.log()).toContain('A worker ended with 1 while starting.');
    expect(saysEvent(server, 'worker_died')).toBe(false);
    other.close();
    rmSync(spoolFolder, { recursive: true });
  }, 120_000);
});
