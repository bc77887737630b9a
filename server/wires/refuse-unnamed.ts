import { AppError } from '../kernel/app-error.js';
import { isSent, type JsonBody } from '../kernel/json-body.js';

/**
 * Refuses a call of a tool, or what one answered, without the texts that tell it from others: once it is a message of chat completions,
 * its sender could not find the place.
 * @throws AppError `missing_required_parameter` or `invalid_type`, naming the field.
 */
export function refuseUnnamed(item: JsonBody, fields: readonly string[], place: string): void {
  const field = fields.find((name) => typeof item[name] !== 'string');
  if (field === undefined) return;
  const param = `${place}.${field}`;
  if (isSent(item[field])) throw new AppError('invalid_type', `Invalid '${param}': must be text.`, { param });
  throw new AppError('missing_required_parameter', `Missing required parameter: '${param}'.`, { param });
}
