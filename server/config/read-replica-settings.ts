import { type DatabaseAddress, readDatabaseUrl } from '../database/database-address.js';

/** Where reports may be read from, and how far behind that database may be. */
export interface ReadReplicaSettings {
  readonly address: DatabaseAddress;
  readonly lagMsMax: number;
}

const notMysql = 'DATABASE_READ_URL must be mysql://user:password@host:3306/name: SQLite has no replicas';

/** As the environment has them, each well formed. */
interface ReplicaEnvironment {
  readonly DATABASE_READ_URL?: string | undefined;
  readonly DATABASE_READ_LAG_SECONDS: number;
}

/** The replica of the settings, null where none is named; and what is wrong with its address, each as one sentence. */
export function readReplicaSettings(
  { DATABASE_READ_URL: url, DATABASE_READ_LAG_SECONDS: lagSeconds }: ReplicaEnvironment,
  primary: DatabaseAddress | null,
): { readonly readReplica: ReadReplicaSettings | null; readonly faults: readonly string[] } {
  if (url === undefined) return { readReplica: null, faults: [] };
  if (!/^(mysql|mariadb):/.test(url)) return { readReplica: null, faults: [notMysql] };
  const { database: address, faults } = readDatabaseUrl(url, 'DATABASE_READ_URL');
  if (address === null) return { readReplica: null, faults };
  if (primary?.kind === 'sqlite') {
    return { readReplica: null, faults: ['DATABASE_READ_URL needs a DATABASE_URL of MySQL, whose replica it is'] };
  }
  return { readReplica: { address, lagMsMax: lagSeconds * 1_000 }, faults: [] };
}
