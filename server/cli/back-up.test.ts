import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { createApp } from '../app.js';
import { loadConfig } from '../config/config.js';
import { lockSqliteFile } from '../database/claim-sqlite-file.js';
import { backUpSqlite } from '../database/sqlite-backup.js';
import { Sqlite } from '../database/sqlite-driver.js';
import { silentLogger } from '../kernel/logger.js';
import { Secret } from '../kernel/secret.js';
import { listBroken, verifyLedger } from '../ledger/checks/verify-ledger.js';
import { listSpoolFiles, readSpool } from '../ledger/settlements/read-spools.js';
import { TestApp } from '../test/create-test-app.js';
import { openSqliteDatabase, type TestDatabase } from '../test/each-database.js';
import { eventually } from '../test/eventually.js';
import { runProgram } from '../test/run-program.js';
import { makeTestFolder } from '../test/test-folder.js';
import { backUpInstallation, restoreInstallation } from './back-up.js';

const ask = (content: string) => ({ model: 'gpt-4o-mini', messages: [{ role: 'user', content }] });

describe('a backup of a SQLite installation', () => {
  let folder: string;
  let database: TestDatabase;
  let app: TestApp;
  beforeEach(async () => {
    folder = makeTestFolder('backup');
    database = await openSqliteDatabase();
    app = await TestApp.start(database);
  });
  afterEach(async () => {
    await app.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const fileOf = () => (database.address as { file: string }).file;
  const backUp = (
    name: string,
    { report = () => {}, file = fileOf(), room }: { report?: () => void; file?: string; room?: number } = {},
  ) => {
    const place = { spoolFolder: app.spoolFolder, folder: join(folder, name) };
    return backUpInstallation({ database: { kind: 'sqlite', file }, ...place, report }, async () => room ?? null);
  };
  const placeOf = (name: string) => ({
    database: { kind: 'sqlite' as const, file: join(folder, name, 'data/tollgate.db') },
    spoolFolder: join(folder, name, 'spool'),
  });
  const restore = (from: string, name: string) =>
    restoreInstallation({ ...placeOf(name), folder: join(folder, from), report: () => {} });
  const chargesIn = (file: string) => {
    const copy = new Sqlite(file, { readonly: true });
    const rows = copy.prepare('SELECT call_id AS id, charged_millicredits AS charged FROM call_record').all();
    copy.close();
    return new Map(rows.map((row) => Object.values(row as object) as [string, number]));
  };

  it('taken under load has every call that was billed before, adds up, and serves elsewhere', async () => {
    const account = await app.createAccount();
    const billed: string[] = [];
    let isLoading = true;
    const load = Promise.all(
      Array.from({ length: 4 }, async () => {
        while (isLoading) {
          const response = await app.call(account.secret, ask('Hello'));
          await response.text();
          if (response.status === 200) billed.push(String(response.headers.get('x-request-id')));
        }
      }),
    );
    await eventually(() => billed.length >= 20);
    const before = [...billed];
    await backUp('one');
    isLoading = false;
    await load;
    expect(readdirSync(join(folder, 'one')).sort()).toEqual(['backup.json', 'spool', 'tollgate.db']);
    await restore('one', 'elsewhere');
    const { database: restored, spoolFolder } = placeOf('elsewhere');
    const copies = [join(folder, 'one/tollgate.db'), restored.file];
    expect(copies.map((file) => statSync(file).mode & 0o777)).toEqual([0o600, 0o600]);
    expect(listBroken(await verifyLedger(restored))).toEqual([]);
    const charges = chargesIn(restored.file);
    expect(before.filter((callId) => !charges.has(callId))).toEqual([]);

    const upstream = { OPENAI_API_KEY: 'sk-another', OPENAI_BASE_URL: app.upstream.baseUrl };
    const place = { DATABASE_URL: `sqlite:${restored.file}`, SPOOL_DIR: spoolFolder, HOST: '127.0.0.1', PORT: '0' };
    const server = await createApp(
      loadConfig({ ...place, ...upstream }, () => null),
      silentLogger,
    );
    const url = `http://127.0.0.1:${await server.listen()}/v1/chat/completions`;
    const headers = { authorization: `Bearer ${account.secret}`, 'content-type': 'application/json' };
    const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(ask('Again')) });
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('usage')]);
    await server.close(2_000);
    expect(listBroken(await verifyLedger(restored))).toEqual([]);
  }, 120_000);

  it('holds a settlement that only waits on the disk, which is booked once where it is restored', async () => {
    const account = await app.createAccount();
    const call = app.call(account.secret, ask('@@delay=200'));
    await eventually(() => app.upstream.requests.length > 0);
    const keptCount = async () => {
      const spools = await Promise.all((await listSpoolFiles(app.spoolFolder)).map((file) => readSpool(file)));
      return spools.reduce((sum, { records }) => sum + records.length, 0);
    };
    // A server writes nothing to a file that is away from its place, so the settlement waits until it is back there.
    const file = fileOf();
    const away = join(folder, 'away.db');
    const move = (from: string, to: string) => {
      for (const suffix of ['', '-wal', '-shm']) renameSync(from + suffix, to + suffix);
    };
    move(file, away);
    const answer = await call;
    expect(answer.status).toBe(200);
    await answer.text();
    await eventually(async () => (await keptCount()) > 0, 20);
    await backUp('one', { file: away });
    move(away, file);
    const callId = String(answer.headers.get('x-request-id'));
    expect(chargesIn(join(folder, 'one/tollgate.db')).has(callId)).toBe(false);
    await restore('one', 'elsewhere');
    const { database: restored, spoolFolder } = placeOf('elsewhere');
    const place = { DATABASE_URL: `sqlite:${restored.file}`, SPOOL_DIR: spoolFolder, HOST: '127.0.0.1', PORT: '0' };
    const server = await createApp(
      loadConfig(place, () => null),
      silentLogger,
    );
    await eventually(() => chargesIn(restored.file).has(callId), 50);
    await server.close(2_000);
    await app.waitUntilSettled(account.accountId);
    const [row] = await app.query(
      `SELECT charged_millicredits AS charged FROM call_record WHERE call_id = '${callId}'`,
    );
    expect(chargesIn(restored.file).get(callId)).toBe(row?.charged);
    expect(listBroken(await verifyLedger(restored))).toEqual([]);
  }, 120_000);

  it('is of one moment: nothing is written while the spool is copied, and nothing that comes after is in it', async () => {
    const file = fileOf();
    const other = new Sqlite(file, { timeout: 0 });
    const write = () => other.prepare("UPDATE ledger_account SET seq = seq WHERE id = 'nobody'").run();
    const target = join(folder, 'copy.db');
    const copying = backUpSqlite(file, target, async () => {
      expect(write).toThrow(/locked/);
    });
    await copying;
    expect(write).not.toThrow();
    other.close();
    await expect(backUpSqlite(file, target, async () => {})).rejects.toThrow('is there already');
  });

  it('keeps no writer waiting while it says what it does, and none for a disk that does not answer', async () => {
    const other = new Sqlite(fileOf(), { timeout: 0 });
    const write = () => void other.prepare("UPDATE ledger_account SET seq = seq WHERE id = 'nobody'").run();
    let lines = 0;
    await backUp('one', {
      report: () => {
        write();
        lines += 1;
      },
    });
    expect(lines).toBeGreaterThan(1);
    const hanging = backUpSqlite(fileOf(), join(folder, 'copy.db'), () => new Promise(() => {}));
    await expect(hanging).rejects.toThrow('No backup was made. Try again');
    expect(write).not.toThrow();
    other.close();
  });

  it('is left alone by another one to the same folder, which is told so in one line', async () => {
    let other: Promise<void> | null = null;
    await backUp('one', {
      report: () => {
        other ??= expect(backUp('one')).rejects.toThrow(/^Another backup to .*one is under way\. Let it end\.$/);
      },
    });
    await other;
    expect(readdirSync(folder)).toEqual(['one']);
    await restore('one', 'elsewhere');
    mkdirSync(join(folder, 'taken.lock'));
    await expect(backUp('taken')).rejects.toThrow(
      /taken\.lock cannot be made .*Name a folder where this user may write/,
    );
  });

  it('writes over nothing, and is refused where it is damaged or none', async () => {
    await backUp('one');
    await expect(backUp('one')).rejects.toThrow('is there already. Name a folder that is not.');
    await restore('one', 'first');
    await expect(restore('one', 'first')).rejects.toThrow('tollgate.db is there already. Move it away');
    mkdirSync(placeOf('second').spoolFolder, { recursive: true });
    writeFileSync(join(placeOf('second').spoolFolder, 'settlements-a_b.slots'), 'x');
    await expect(restore('one', 'second')).rejects.toThrow(/SPOOL_DIR: settlements lie in .*they may be money/);
    await expect(restore('nowhere', 'third')).rejects.toThrow('is no backup of Tollgate');
    const copy = join(folder, 'one/tollgate.db');
    const bytes = readFileSync(copy);
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    writeFileSync(copy, bytes);
    await expect(restore('one', 'third')).rejects.toThrow(/tollgate\.db is damaged or missing/);
    expect(existsSync(placeOf('third').database.file)).toBe(false);
    const manifest = join(folder, 'one/backup.json');
    writeFileSync(manifest, readFileSync(manifest, 'utf8').replace('"tollgate.db"', '"spool/../../out"'));
    await expect(restore('one', 'third')).rejects.toThrow('is no backup of Tollgate');
  });

  it('is not restored beneath a running server, wherever its file was moved to, and goes where a link leads', async () => {
    await backUp('one');
    const { file } = placeOf('elsewhere').database;
    mkdirSync(dirname(file), { recursive: true });
    const server = lockSqliteFile(file);
    await expect(restore('one', 'elsewhere')).rejects.toThrow(`another server uses ${file}`);
    expect(existsSync(file)).toBe(false);
    server.release('keep');
    symlinkSync('real.db', file);
    await restore('one', 'elsewhere');
    expect(readlinkSync(file)).toBe('real.db');
    expect(existsSync(join(dirname(file), 'real.db'))).toBe(true);
  });

  it('looks for room for what lies in the write-ahead log and the spool, too, and needs no more', async () => {
    // A reader keeps the log from being written to the file.
    const reader = new Sqlite(fileOf(), { readonly: true });
    reader.exec('BEGIN');
    reader.prepare('SELECT COUNT(*) FROM sqlite_schema').get();
    const writer = new Sqlite(fileOf());
    writer.exec('CREATE TABLE ballast (bytes BLOB)');
    writer.prepare('INSERT INTO ballast VALUES (zeroblob(3000000))').run();
    const isInLog = statSync(fileOf()).size < 3_000_000;
    expect(isInLog).toBe(true);
    mkdirSync(join(app.spoolFolder, 'quarantine'), { recursive: true });
    writeFileSync(join(app.spoolFolder, 'quarantine/large.json'), ' '.repeat(1_000_000));
    await backUp('whole');
    const copied = readdirSync(join(folder, 'whole'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== 'backup.json')
      .map(({ parentPath, name }) => statSync(join(parentPath, name)).size);
    const needed = copied.reduce((sum, bytes) => sum + bytes);
    expect(needed).toBeGreaterThan(4_000_000);
    // The server beside it may write a page or two.
    await expect(backUp('roomy', { room: needed - 65_536 })).rejects.toThrow(/Nothing was written/);
    expect(existsSync(join(folder, 'roomy'))).toBe(false);
    await backUp('roomy', { room: needed + 65_536 });
    reader.close();
    writer.close();
  });

  it('is one command, and so is the way back; of MySQL it says what to do', async () => {
    const made = await runProgram('tollgate.js', database.address, { words: ['backup', join(folder, 'one')] });
    expect(made).toMatchObject({ exitCode: 0, output: expect.stringContaining('its books add up') });
    const again = await runProgram('tollgate.js', database.address, { words: ['backup', join(folder, 'one')] });
    expect(again).toMatchObject({
      exitCode: 2,
      log: expect.stringMatching(/is there already\. Name a folder that is not\.\n$/),
    });
    const elsewhere = placeOf('elsewhere').database;
    const restored = await runProgram('tollgate.js', elsewhere, { words: ['restore', join(folder, 'one')] });
    expect(restored).toMatchObject({ exitCode: 0, output: expect.stringContaining('npm run ledger:verify') });
    expect(restored.output).toMatch(/^This is the installation of 20\d\d-/m);
    expect(restored.output).toMatch(
      /^What was ended since is in force again: keys that were revoked, .* docs\/backup\.md/m,
    );
    expect((await runProgram('verify.js', elsewhere)).exitCode).toBe(0);
    const mysql = { kind: 'mysql' as const, url: new Secret('mysql://u:p@127.0.0.1:1/x') };
    const refused = await runProgram('tollgate.js', mysql, { words: ['backup', join(folder, 'two')] });
    expect(refused).toMatchObject({ exitCode: 2, log: expect.stringContaining('docs/backup.md') });
  }, 120_000);
});
