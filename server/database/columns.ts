import type { ColumnOptions } from 'typeorm';
import { millicreditsMax } from '../kernel/millicredits.js';

/*
 * The only place that spells column types. Entities and migrations both take them from here, so the two cannot drift.
 * Identifiers are compared byte by byte: on MySQL every table is made with a binary collation (see `create-table.ts`),
 * on SQLite that is the default.
 */

// MySQL hands BIGINT back as text, SQLite as a number. Anything that is not a safe integer is refused both ways.
const safeInteger = {
  to: (value: number | null | undefined) => (value == null ? value : checkSafeInteger(value)),
  from: (value: string | number | null) => (value === null ? null : checkSafeInteger(Number(value))),
};

function checkSafeInteger(value: number): number {
  if (!Number.isSafeInteger(value) || Math.abs(value) > millicreditsMax) {
    throw new RangeError(`${value} is not a whole number that this column can hold.`);
  }
  return value;
}

/** An identifier such as `call_01KAG…`, or a foreign key to one. */
export const idColumn = { type: 'varchar', length: 40 } as const satisfies ColumnOptions;

/** The identifier of a journal row, made of an identifier and what happened to it. */
export const transferIdColumn = { type: 'varchar', length: 128 } as const satisfies ColumnOptions;

/** SHA-256 in lower-case hexadecimal. */
export const hashColumn = { type: 'varchar', length: 64 } as const satisfies ColumnOptions;

/** A word out of a closed set, written in ASCII. */
export const wordColumn = { type: 'varchar', length: 24 } as const satisfies ColumnOptions;

/** A name that people or configuration choose. */
export const nameColumn = { type: 'varchar', length: 191 } as const satisfies ColumnOptions;

/** A web address. */
export const urlColumn = { type: 'varchar', length: 2048 } as const satisfies ColumnOptions;

/** A text of at most 65,535 bytes. */
export const textColumn = { type: 'text' } as const satisfies ColumnOptions;

/** Money: a whole number of millicredits. */
export const millicreditsColumn = { type: 'bigint', transformer: safeInteger } as const satisfies ColumnOptions;

/** A sum of money over accounts: whole millicredits, as far as the database has room. To be read as digits, since SQLite's driver rounds. */
export const millicreditSumColumn = {
  type: 'bigint',
  transformer: { to: (sum: bigint) => String(sum), from: (digits: string | number) => BigInt(digits) },
} as const satisfies ColumnOptions;

/** A whole number that may pass 2^31: tokens, sequence numbers. */
export const countColumn = { type: 'bigint', transformer: safeInteger } as const satisfies ColumnOptions;

/** A point in time: milliseconds since 1970-01-01 UTC. Neither database's date type is used, so no time zone can creep in. */
export const instantColumn = { type: 'bigint', transformer: safeInteger } as const satisfies ColumnOptions;

/** A duration or another whole number below 2^31. */
export const integerColumn = { type: 'integer' } as const satisfies ColumnOptions;

export const booleanColumn = { type: 'boolean' } as const satisfies ColumnOptions;

/** What the column of an entity's property is called, unless the entity says otherwise: its name in snake case. */
export function columnNameOf(property: string): string {
  return property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
