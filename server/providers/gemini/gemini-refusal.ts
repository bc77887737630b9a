import { AppError } from '../../kernel/app-error.js';

/** What this provider has no word for is refused, and the remedy told, rather than dropped. */
export function createUntranslatableError(param: string, sentence: string): AppError {
  return new AppError('unsupported_parameter', sentence, { param });
}
