/**
 * Reads again what the page shows, after a change that was made. That this fails does not make the change a failed one.
 * @returns null: an act that ends with it has no words of its own to show.
 */
export async function readAgain(read: () => Promise<unknown>): Promise<null> {
  await read().catch(() => undefined);
  return null;
}
