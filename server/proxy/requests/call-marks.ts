import { AppError } from '../../kernel/app-error.js';
import { isJsonObject, isSent, type JsonBody } from '../../kernel/json-body.js';

/** What a caller marks a call with, to find it again in lists and reports. */
export interface CallMarks {
  /** null: none. */
  readonly tag: string | null;
  /** Who of the caller's own users asked; null: not told, or told in another form than marks have. */
  readonly endUser: string | null;
}

const markForm = /^[A-Za-z0-9._:-]{1,64}$/;

/**
 * Reads the marks of a body: `metadata.tag`, and the first of `user`, `safety_identifier` and `metadata.user_id`.
 * A user that is told in another form, such as an address, is left out: clients put there what they like.
 * @throws AppError `invalid_value` for a tag that is none.
 */
export function readMarks(body: JsonBody): CallMarks {
  const metadata = isJsonObject(body.metadata) ? body.metadata : {};
  const endUser = [body.user, body.safety_identifier, metadata.user_id].find(isSent);
  return {
    tag: isSent(metadata.tag) ? checkTag(metadata.tag, 'metadata.tag') : null,
    endUser: typeof endUser === 'string' && markForm.test(endUser) ? endUser : null,
  };
}

/** @throws AppError `invalid_value`, naming where the tag stands. */
export function checkTag(tag: unknown, param: string): string {
  if (typeof tag === 'string' && markForm.test(tag)) return tag;
  throw new AppError('invalid_value', `Invalid '${param}': must be 1 to 64 letters, digits, dots, colons, - or _.`, {
    param,
  });
}
