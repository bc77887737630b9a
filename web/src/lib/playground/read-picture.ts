/** How many pictures one question may have. */
export const picturesMax = 4;
/** What browsers can read and models take. */
export const pictureTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'];
const fileBytesMax = 20_000_000;
const sideMax = 1_024;

/** The size of a picture within a square, its shape kept; a small one stays as it is. */
export function fitWithin(width: number, height: number, side: number = sideMax) {
  const scale = Math.min(1, side / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

/**
 * A picture as a `data:` address, at most 1,024 pixels wide and high: models see no more, and larger ones only cost more.
 * @throws Error with words for the reader when it is none, or too large.
 */
export async function readPicture(file: File): Promise<string> {
  if (file.size > fileBytesMax) throw new Error(`${file.name} is larger than 20 MB. Choose a smaller one.`);
  const bitmap = await createImageBitmap(file).catch(() => {
    throw new Error(`${file.name} is not an image we can read. Use PNG, JPEG, WebP or GIF.`);
  });
  const { width, height } = fitWithin(bitmap.width, bitmap.height);
  const canvas = Object.assign(document.createElement('canvas'), { width, height });
  const context = canvas.getContext('2d');
  if (!context) throw new Error('This browser cannot prepare images.');
  // JPEG has no transparency, and black behind a drawing hides it.
  context.fillStyle = 'white';
  context.fillRect(0, 0, width, height);
  context.drawImage(bitmap, 0, 0, width, height);
  bitmap.close();
  return canvas.toDataURL('image/jpeg', 0.85);
}
