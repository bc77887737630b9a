/** The headers of every request to a provider, and beside them the one that carries our key. */
export function createUpstreamHeaders(
  { isStream }: { readonly isStream: boolean },
  keyHeader: Readonly<Record<string, string>> | null,
): Record<string, string> {
  return {
    'content-type': 'application/json',
    accept: isStream ? 'text/event-stream' : 'application/json',
    // A compressed answer could unpack to any size.
    'accept-encoding': 'identity',
    'user-agent': 'tollgate',
    ...keyHeader,
  };
}
