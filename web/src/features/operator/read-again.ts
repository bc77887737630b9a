/** Reads again what the page shows, after a change that was made. That this fails does not make the change a failed one. */
export async function readAgain(read: () => Promise<unknown>): Promise<void> {
  await read().catch(() => undefined);
}
