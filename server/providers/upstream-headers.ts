/** The headers of every request to a provider, and beside them the one that carries our key. */
export function createUpstreamHeaders(
  { isStream }: { readonly isStream: boolean },
  keyHeader: Readonly<Record<string, string>> | null,
): Record<string, string> {
  return {
    'content-type': 'application/json',
    accept: isStream ? 'text/event-stream' : 'application/json',
    // To pack and to unpack costs time, and holds up the pieces of a stream where it is done badly.
    'accept-encoding': 'identity',
    'user-agent': 'tollgate',
    ...keyHeader,
  };
}
