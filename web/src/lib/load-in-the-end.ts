const pauseMs = 2_000;

/**
 * Fetches code that is shown outside of any page, where a failure would take the whole dashboard along: without a connection it
 * is tried again until it comes, and nothing is shown meanwhile.
 */
export async function loadInTheEnd<Module>(load: () => Promise<Module>): Promise<Module> {
  for (;;) {
    try {
      return await load();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}
