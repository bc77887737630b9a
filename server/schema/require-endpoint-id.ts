import { AppError } from '../kernel/app-error.js';
import { isId } from '../kernel/ids.js';

/** The id of a webhook endpoint as it was given. @throws AppError `not_found` for what cannot be one. */
export function requireEndpointId(id: string): string {
  if (isId('webhookEndpoint', id)) return id;
  throw new AppError('not_found', 'There is no such endpoint in this account.');
}
