import { AppError } from './app-error.js';

/**
 * What a request is told whose `once` came with something else before: never that this was done.
 * @param asked What was asked for then, such as `100 credits`. @param reason Why, as it was said then.
 */
export function askedOtherwise(asked: string, reason: string): AppError {
  const words = `This word was already asked for with ${asked} (${reason}), which may have been done. Look first, and begin anew for anything else.`;
  return new AppError('conflict', words, { param: 'once' });
}
