/** Asks a server's GraphQL API, with the headers of whoever asks. */
export function postGraphql(baseUrl: string, request: object, headers: Readonly<Record<string, string>> = {}) {
  return fetch(`${baseUrl}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(request),
  });
}
