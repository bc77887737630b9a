import { isJsonObject } from '../kernel/json-body.js';

/** Images that a model made, as Markdown, for a wire whose answers have no place for them; '' where there are none. */
export function toImageWords(images: unknown): string {
  if (!Array.isArray(images)) return '';
  const addresses = images.flatMap((image) => {
    const at = isJsonObject(image) && isJsonObject(image.image_url) ? image.image_url.url : undefined;
    return typeof at === 'string' ? [at] : [];
  });
  return addresses.map((address) => `\n![image](${address})\n`).join('');
}
