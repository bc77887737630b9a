/** As ISO 8601 in UTC. */
export const isoTime = (epochMs: number | null) => (epochMs === null ? null : new Date(epochMs).toISOString());

/**
 * The fields of a row as the export of an account shows them, so that a new field is in it at once: `expiresAtMs` is `expiresAt` as
 * ISO 8601 in UTC, `limitMillicredits` is `limit` in credits, others are as they are. Leave out what is secret before.
 */
export function describeRow(row: object): object {
  return Object.fromEntries(Object.entries(row).map(describeField));
}

function describeField([name, value]: [string, unknown]): [string, unknown] {
  if (name.endsWith('AtMs') || name.endsWith('UntilMs')) return [name.slice(0, -'Ms'.length), isoTime(value as number)];
  if (!name.endsWith('Millicredits')) return [name, value];
  return [name.slice(0, -'Millicredits'.length), value === null ? null : BigInt(value as number)];
}
