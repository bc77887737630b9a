import { isJsonObject } from '../kernel/json-body.js';

/** Whether this is an image of chat completions, whatever is in it. */
export function isImagePart(part: unknown): boolean {
  return isJsonObject(part) && part.type === 'image_url';
}
