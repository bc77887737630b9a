import { isJsonObject } from '../kernel/json-body.js';

/**
 * Images that a model made, for a wire whose answers have no place for them: as Markdown, and one without an address as the JSON that it is;
 * '' where there are none.
 */
export function toImageWords(images: unknown): string {
  return Array.isArray(images) ? images.map(toWords).join('') : '';
}

function toWords(image: unknown): string {
  const { image_url: at, url } = isJsonObject(image) ? image : { image_url: image };
  const address = [isJsonObject(at) ? at.url : at, url].find((text) => typeof text === 'string');
  return address === undefined ? `\n${JSON.stringify(image)}\n` : `\n![image](${address})\n`;
}
