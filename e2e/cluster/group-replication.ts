import { spawnSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { Secret } from '../../server/kernel/secret.js';
import { makeTestFolder } from '../../server/test/test-folder.js';
import { stretched } from '../../server/test/wait-factor.js';
import { findFreePorts } from '../support/free-port.js';
import { RunningChild } from './run-child.js';

const memberCount = 3;
const timeoutMs = stretched(120_000);
const documentedGrants = 'SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, INDEX, DROP, REFERENCES, TRIGGER';

export interface Member {
  readonly id: number;
  readonly port: number;
  /** Where the members talk with each other. */
  readonly groupPort: number;
  readonly folder: string;
  server: RunningChild | null;
}

/**
 * Three MySQL servers of one group in single-primary mode, on this machine, with the settings that the server comes with and
 * those without which there is no group. Each may be killed, stopped, started again.
 */
export class GroupReplication {
  readonly #password = randomBytes(12).toString('hex');
  readonly #groupName = randomUUID();

  private constructor(
    private readonly program: string,
    private readonly folder: string,
    readonly members: readonly Member[],
  ) {}

  /** @param program a `mysqld` that reads no settings of the machine, with the plugin of Group Replication */
  static async start(program: string): Promise<GroupReplication> {
    const folder = makeTestFolder('group');
    const ports = await findFreePorts(2 * memberCount);
    const members = Array.from({ length: memberCount }, (_, index) => ({
      id: index + 1,
      port: Number(ports[2 * index]),
      groupPort: Number(ports[2 * index + 1]),
      folder: join(folder, `member-${index + 1}`),
      server: null,
    }));
    const group = new GroupReplication(program, folder, members);
    try {
      group.#makeData();
      await Promise.all(members.map((member) => group.#startServer(member)));
      const [first, ...others] = members as [Member, ...Member[]];
      await group.#ask(first, 'SET GLOBAL group_replication_bootstrap_group = ON');
      await group.#ask(first, 'START GROUP_REPLICATION');
      await group.#ask(first, 'SET GLOBAL group_replication_bootstrap_group = OFF');
      for (const member of others) await group.#join(member);
      await group.waitUntilComplete();
      await group.#ask(first, 'CREATE DATABASE tollgate');
      await group.#ask(first, 'CREATE DATABASE probe');
      await group.#ask(first, 'CREATE TABLE probe.t (id BIGINT AUTO_INCREMENT PRIMARY KEY)');
      return group;
    } catch (error) {
      await group.close();
      throw error;
    }
  }

  /** The address of all members, as an operator would write it, for an ordinary user with the documented grants. */
  get url(): Secret {
    const hosts = this.members.map(({ port }) => `127.0.0.1:${port}`).join(',');
    return new Secret(`mysql://tollgate:${this.#password}@${hosts}/tollgate`);
  }

  /** The address of one member alone. */
  urlOf({ port }: Member): Secret {
    return new Secret(`mysql://tollgate:${this.#password}@127.0.0.1:${port}/tollgate`);
  }

  /** A connection to this member as somebody who may do everything. */
  connect({ port }: Member, connectTimeoutMs = 5_000): Promise<Connection> {
    const login = { user: 'admin', password: this.#password };
    return createConnection({ host: '127.0.0.1', port, ...login, connectTimeout: connectTimeoutMs });
  }

  /** @throws when nobody is, or nobody says so within a few seconds. */
  async getPrimary(): Promise<Member> {
    for (const member of this.members.filter(({ server }) => server !== null)) {
      const states = await this.#readStates(member).catch(() => []);
      const primary = states.find(({ role, state }) => role === 'PRIMARY' && state === 'ONLINE');
      const found = this.members.find(({ port }) => port === primary?.port);
      if (found !== undefined && found.server !== null) return found;
    }
    throw new Error('The group has no primary.');
  }

  async getSecondaries(): Promise<readonly Member[]> {
    const primary = await this.getPrimary();
    return this.members.filter((member) => member !== primary);
  }

  /** As a power cut would. */
  async kill(member: Member): Promise<void> {
    await member.server?.end('SIGKILL');
    member.server = null;
  }

  /** As an administrator would who is to mend the machine. */
  async stop(member: Member): Promise<void> {
    await member.server?.end('SIGTERM');
    member.server = null;
  }

  /** Starts a server again on its data and takes it back into the group, which then has all its members. */
  async startAgain(...members: readonly Member[]): Promise<void> {
    for (const member of members) {
      await this.#startServer(member);
      await this.#join(member);
    }
    await this.waitUntilComplete();
  }

  /** Hands the part of the primary on to this member. */
  async makePrimary(member: Member): Promise<void> {
    const [row] = await this.#ask(member, 'SELECT @@server_uuid AS uuid');
    await this.#ask(member, `SELECT group_replication_set_as_primary('${row?.uuid}')`);
  }

  /** What an administrator does with the member that is left when the others are gone for good. */
  async forceAlone(member: Member): Promise<void> {
    await this.#ask(member, `SET GLOBAL group_replication_force_members = '127.0.0.1:${member.groupPort}'`);
    await this.#ask(member, "SET GLOBAL group_replication_force_members = ''");
  }

  /** Resolves when every member is in the group and up to date with it. */
  async waitUntilComplete(): Promise<void> {
    const endsMs = performance.now() + timeoutMs;
    for (;;) {
      const seen = await Promise.all(this.members.map((member) => this.#readStates(member).catch(() => [])));
      if (seen.every((states) => states.filter(({ state }) => state === 'ONLINE').length === memberCount)) return;
      if (performance.now() > endsMs) throw new Error(`The group is not complete: ${JSON.stringify(seen)}`);
      await sleep(200);
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.members.map((member) => this.kill(member)));
    rmSync(this.folder, { recursive: true, force: true });
  }

  // What it has missed it fetches from another member, as a user of its own. While the group still waits for the member's
  // earlier life, it takes nobody of that name.
  async #join(member: Member): Promise<void> {
    const endsMs = performance.now() + timeoutMs;
    for (;;) {
      const sql = `START GROUP_REPLICATION USER = 'admin', PASSWORD = '${this.#password}'`;
      const failure = await this.#ask(member, sql).then(
        () => null,
        (error: Error) => error,
      );
      if (failure === null) return;
      if (performance.now() > endsMs) {
        throw new Error(`A member does not join its group: ${member.server?.lastLines.join('\n')}`, { cause: failure });
      }
      await sleep(1_000);
    }
  }

  async #readStates(member: Member): Promise<{ port: number; state: string; role: string }[]> {
    const rows = await this.#ask(
      member,
      'SELECT member_port AS port, member_state AS state, member_role AS role FROM performance_schema.replication_group_members',
    );
    return rows.map(({ port, state, role }) => ({ port: Number(port), state: String(state), role: String(role) }));
  }

  async #ask(member: Member, sql: string): Promise<RowDataPacket[]> {
    const connection = await this.connect(member);
    try {
      const [rows] = await connection.query<RowDataPacket[]>({ sql, timeout: timeoutMs });
      return rows;
    } finally {
      connection.destroy();
    }
  }

  // One set of system tables for all, with the users in it, so that none of them has anything that the others lack.
  #makeData(): void {
    const users = join(this.folder, 'users.sql');
    const user = (name: string) => `CREATE USER ${name}@'127.0.0.1' IDENTIFIED BY '${this.#password}'`;
    const statements = [
      user('admin'),
      "GRANT ALL ON *.* TO admin@'127.0.0.1' WITH GRANT OPTION",
      user('tollgate'),
      `GRANT ${documentedGrants} ON tollgate.* TO tollgate@'127.0.0.1'`,
    ];
    writeFileSync(users, statements.map((statement) => `${statement};\n`).join(''));
    const words = ['--initialize-insecure', `--datadir=${join(this.folder, 'data')}`, `--init-file=${users}`];
    const made = spawnSync(this.program, [...words, ...userOption()], { encoding: 'utf8', timeout: timeoutMs });
    if (made.status !== 0) throw new Error(`mysqld --initialize failed:\n${made.stdout}\n${made.stderr}`);
    for (const { folder } of this.members) {
      mkdirSync(folder);
      cpSync(join(this.folder, 'data'), join(folder, 'data'), { recursive: true });
      // Each makes itself a name of its own.
      rmSync(join(folder, 'data', 'auto.cnf'), { force: true });
    }
  }

  async #startServer(member: Member): Promise<void> {
    const server = RunningChild.start(this.program, [...this.#optionsOf(member), ...userOption()]);
    member.server = server;
    const endsMs = performance.now() + timeoutMs;
    for (;;) {
      const connection = await this.connect(member).catch(() => null);
      if (connection !== null) return connection.destroy();
      if (!server.isRunning || performance.now() > endsMs) {
        throw new Error(`A member of the group did not start:\n${server.lastLines.join('\n')}`);
      }
      await sleep(100);
    }
  }

  #optionsOf({ id, port, groupPort, folder }: Member): readonly string[] {
    const seeds = this.members.map((member) => `127.0.0.1:${member.groupPort}`).join(',');
    return [
      `--datadir=${join(folder, 'data')}`,
      `--socket=${join(folder, 'server.sock')}`,
      `--pid-file=${join(folder, 'server.pid')}`,
      `--tmpdir=${folder}`,
      ...[`--port=${port}`, '--bind-address=127.0.0.1', `--server-id=${id}`, '--mysqlx=OFF'],
      ...['--report-host=127.0.0.1', `--report-port=${port}`, '--skip-name-resolve', '--max-connections=500'],
      // So that an ordinary user may make the triggers of the journal, as docs/operations/databases.md says.
      '--log-bin-trust-function-creators=ON',
      ...['--gtid-mode=ON', '--enforce-gtid-consistency=ON', '--innodb-buffer-pool-size=128M'],
      '--plugin-load-add=group_replication.so',
      // A server that starts takes no writes before it is in the group again, whose primary makes itself writable.
      '--super-read-only=ON',
      `--loose-group-replication-group-name=${this.#groupName}`,
      `--loose-group-replication-local-address=127.0.0.1:${groupPort}`,
      `--loose-group-replication-group-seeds=${seeds}`,
      '--loose-group-replication-start-on-boot=OFF',
      '--loose-group-replication-recovery-get-public-key=ON',
    ];
  }
}

function userOption(): readonly string[] {
  return process.getuid?.() === 0 ? ['--user=root'] : [];
}
