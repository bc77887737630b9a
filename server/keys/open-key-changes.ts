import { createId } from '../kernel/ids.js';
import { type KeyChanges, OneProcessKeyChanges } from './key-changes.js';
import { SharedKeyChanges, type SharedKeyChangesParts } from './shared-key-changes.js';

export type KeyChangesOptions = Omit<SharedKeyChangesParts, 'id'> & { readonly databaseKind: 'sqlite' | 'mysql' };

/** The changes of keys on a database: on SQLite of the one process that serves there, on MySQL of any number of them. Starts nothing. */
export function openKeyChanges({ databaseKind, ...parts }: KeyChangesOptions): KeyChanges {
  if (databaseKind === 'sqlite') return new OneProcessKeyChanges(parts.clock);
  return new SharedKeyChanges({ ...parts, id: createId('instance') });
}
