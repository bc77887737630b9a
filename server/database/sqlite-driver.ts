import BetterSqlite3 from 'better-sqlite3';

/*
 * Versions 12 and 13 of better-sqlite3 share their interface. 12 is the last one for Node.js 20, but aborts the process on
 * Node.js 24.19 and later when a statement is collected as garbage (https://github.com/WiseLibs/better-sqlite3/issues/1515).
 * 13 does not load before Node.js 22, so npm leaves it out there.
 */
const firstNodeOfNewer = 22;

/** SQLite, in the version that this Node.js can run. */
export const Sqlite: typeof BetterSqlite3 = await findDriver();

async function findDriver(): Promise<typeof BetterSqlite3> {
  if (Number(process.versions.node.split('.')[0]) < firstNodeOfNewer) return BetterSqlite3;
  // A variable, since its types are those of the other.
  const newer = 'better-sqlite3-newer';
  const { default: driver } = (await import(newer)) as { default: typeof BetterSqlite3 };
  return driver;
}
