import { createId } from '../../kernel/ids.js';
import { type KeyChanges, OneProcessKeyChanges, ProgramKeyChanges } from './key-changes.js';
import { SharedKeyChanges, type SharedKeyChangesParts } from './shared-key-changes.js';

export type KeyChangesOptions = Omit<SharedKeyChangesParts, 'id'> & {
  readonly databaseKind: 'sqlite' | 'mysql';
  /** Whether a program changes keys here, and no server. */
  readonly isProgram?: boolean;
};

/** The changes of keys on a database: on SQLite of the one process that serves there, on MySQL of any number of them. Starts nothing. */
export function openKeyChanges({ databaseKind, isProgram = false, ...parts }: KeyChangesOptions): KeyChanges {
  if (databaseKind === 'sqlite') return new (isProgram ? ProgramKeyChanges : OneProcessKeyChanges)(parts.clock);
  return new SharedKeyChanges({ ...parts, id: createId('instance') });
}
