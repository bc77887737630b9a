/** Who is signed in, and by which session. */
export interface Viewer {
  readonly accountId: string;
  readonly sessionId: string;
}
