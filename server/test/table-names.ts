import { getMetadataArgsStorage } from 'typeorm';
import { entities } from '../entities.js';

/** The tables of every entity of the server. */
export function listTableNames(): string[] {
  const { tables } = getMetadataArgsStorage();
  return tables.flatMap(({ target, name }) => (entities.includes(target as never) && name ? [name] : []));
}
