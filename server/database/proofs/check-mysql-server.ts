import type { DataSource } from 'typeorm';
import { PlainFailure } from '../../kernel/settings/plain-failure.js';
import { mysqlCharacterSet } from '../session-settings.js';

/** What a MySQL server is set to that endangers money. */
export interface MysqlServerFaults {
  /** With these the server is not used at all. */
  readonly refusals: readonly string[];
  /** With these a crash of its machine may lose commits that were acknowledged, or nobody has tried it. */
  readonly warnings: readonly string[];
}

/** The server must not hold money; nothing was changed. One line, with the remedy. */
export class UnfitServerError extends PlainFailure {
  override readonly name = 'UnfitServerError';

  constructor(refusals: readonly string[]) {
    super(`DATABASE_URL: This MySQL server cannot be used. ${refusals.join(' ')}`);
  }
}

type Variables = ReadonlyMap<string, string>;

const characterSetNames = ['character_set_client', 'character_set_connection', 'character_set_results'] as const;

const readNames = [
  'version',
  'wsrep_on',
  'wsrep_cluster_size',
  'sql_mode',
  'time_zone',
  ...characterSetNames,
  'innodb_flush_log_at_trx_commit',
  'log_bin',
  'sync_binlog',
  'binlog_format',
  'innodb_doublewrite',
  'innodb_page_size',
  'max_allowed_packet',
] as const;

/** The longest statement of ours, a batch of the ledger, is half as long. */
const packetBytesMin = 1024 ** 2;

/** Our longest key does not fit into a smaller page. */
const pageBytesMin = 16_384;

/** `needed` has CHECK constraints and changes of the schema that happen as a whole or not at all; `tried` runs our suites. */
const versions = {
  MySQL: { needed: [8, 0, 16], tried: [8, 4, 0] },
  MariaDB: { needed: [10, 6, 0], tried: [10, 11, 0] },
} as const;

/**
 * Looks at what the ledger's promises rest on: the settings of our own sessions, which must have been pinned, those of the
 * server, which only its operator can change, its version and its tables. Changes nothing.
 */
export async function findMysqlServerFaults(source: DataSource): Promise<MysqlServerFaults> {
  const { refusals, warnings } = judgeMysqlVariables(await readVariables(source));
  return { refusals: [...refusals, ...(await findForeignEngines(source))], warnings };
}

/** What these variables of a session and its server endanger. */
export function judgeMysqlVariables(variables: Variables): MysqlServerFaults {
  const is = (name: string, ...values: string[]) => values.includes((variables.get(name) ?? '').toUpperCase());
  const isGalera = is('wsrep_on', 'ON', '1') || Number(variables.get('wsrep_cluster_size') ?? 0) > 0;
  const { refusals, warnings } = judgeVersion(variables.get('version') ?? '');
  return {
    refusals: [
      ...(isGalera
        ? [
            'It is a Galera cluster (wsrep_on), which can lose committed writes. Use a single MySQL or MariaDB primary, with replicas or MySQL Group Replication in single-primary mode.',
          ]
        : []),
      ...(variables.get('sql_mode')?.includes('STRICT_ALL_TABLES') ? [] : ['sql_mode is not strict in our sessions.']),
      ...(is('time_zone', '+00:00') ? [] : ['time_zone is not UTC in our sessions.']),
      ...characterSetNames
        .filter((name) => !is(name, mysqlCharacterSet.toUpperCase()))
        .map((name) => `${name} is ${variables.get(name)}, not ${mysqlCharacterSet}, in our sessions.`),
      ...(is('log_bin', 'ON', '1') && is('binlog_format', 'STATEMENT')
        ? ['Its binary log is on with binlog_format=STATEMENT, which READ COMMITTED rules out. Set binlog_format=ROW.']
        : []),
      ...(Number(variables.get('max_allowed_packet') ?? packetBytesMin) < packetBytesMin
        ? [`max_allowed_packet is ${variables.get('max_allowed_packet')}. Set it to ${packetBytesMin} or more.`]
        : []),
      ...(Number(variables.get('innodb_page_size') ?? pageBytesMin) < pageBytesMin
        ? [
            `innodb_page_size is ${variables.get('innodb_page_size')}, which a server has for good. Use one that was initialised with ${pageBytesMin}, the default, or more.`,
          ]
        : []),
      ...refusals,
    ],
    warnings: [
      ...(is('innodb_flush_log_at_trx_commit', '1') ? [] : ['innodb_flush_log_at_trx_commit is not 1.']),
      ...(is('log_bin', 'ON', '1') && !is('sync_binlog', '1')
        ? ['The binary log is on, and sync_binlog is not 1.']
        : []),
      ...(is('innodb_doublewrite', 'OFF', '0', 'DETECT_ONLY')
        ? ['innodb_doublewrite is off: a power cut may leave torn pages.']
        : []),
      ...warnings,
    ],
  };
}

function judgeVersion(version: string): MysqlServerFaults {
  const product = /mariadb/i.test(version) ? 'MariaDB' : 'MySQL';
  const { needed, tried } = versions[product];
  const text = (parts: readonly number[]) => parts.join('.');
  const words = `It is ${product} ${version}; use ${product} ${text(tried)} or later.`;
  // MariaDB behind old clients calls itself 5.5.5-10.11.6-MariaDB.
  const found =
    /(\d+)\.(\d+)\.(\d+)/
      .exec(version.replace(/^5\.5\.5-/, ''))
      ?.slice(1)
      .map(Number) ?? null;
  // An engine that speaks MySQL may call itself anything.
  if (found === null) return { refusals: [], warnings: [words] };
  if (isBefore(found, needed)) return { refusals: [words], warnings: [] };
  return { refusals: [], warnings: isBefore(found, tried) ? [words] : [] };
}

function isBefore(found: readonly number[], wanted: readonly number[]): boolean {
  const differing = wanted.findIndex((part, index) => part !== found[index]);
  return differing !== -1 && Number(found[differing]) < Number(wanted[differing]);
}

async function readVariables(source: DataSource): Promise<Variables> {
  const list = readNames.map((name) => `'${name}'`).join(', ');
  const rows: { Variable_name: string; Value: string }[] = [
    ...(await source.query(`SHOW SESSION VARIABLES WHERE Variable_name IN (${list})`)),
    ...(await source.query(`SHOW GLOBAL STATUS WHERE Variable_name IN (${list})`)),
  ];
  return new Map(rows.map((row) => [row.Variable_name.toLowerCase(), row.Value]));
}

// A table without transactions would keep half of what is rolled back.
async function findForeignEngines(source: DataSource): Promise<string[]> {
  const rows: { name: string; engine: string }[] = await source.query(
    "SELECT table_name AS name, engine AS engine FROM information_schema.tables WHERE table_schema = DATABASE() AND table_type = 'BASE TABLE' AND engine <> 'InnoDB'",
  );
  const [support]: { support: string }[] = await source.query(
    "SELECT support AS support FROM information_schema.engines WHERE engine = 'InnoDB'",
  );
  return [
    ...rows.map(
      ({ name, engine }) => `Table ${name} is ${engine}, not InnoDB; convert it: ALTER TABLE ${name} ENGINE=InnoDB.`,
    ),
    ...(['YES', 'DEFAULT'].includes(support?.support ?? '') ? [] : ['It has no InnoDB; turn that engine on.']),
  ];
}
