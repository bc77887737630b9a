/**
 * What a test can ask of the fake upstream by words in the last user message, as `@@name` or `@@name=value`:
 *
 * `status=500` (with `retry-after=7`) refuse, with an error that gives away key, host and organisation, or with `too-large` one that
 * says that the request has more tokens than we may send in a minute ·
 * `json-error` status 200 and an error in JSON · `html` status 200 and a page · `bad-json` an answer that does not parse ·
 * `continue`, `processing` a 100 or 102 that nobody asked for, before whatever else is answered ·
 * `redirect=URL` status 307 · `stall` no answer ever · `stall-mid` nothing after the first piece ·
 * `cut=N` the connection breaks after N pieces (half a body of a plain answer) · `cut-before-body` … after the headers ·
 * `no-usage` · `usage-unasked` usage in a stream that did not ask · `usage=P,C` these counts, any JSON, with further fields behind a further comma · `usage-on-finish` usage beside the finish reason ·
 * `usage-first` usage before the first piece, beside any other ·
 * `usage-after=MS` usage so long after the finish reason ·
 * `error-event` an error after the first piece · `no-done` the stream ends without `[DONE]` · `no-finish` … without a
 * finish reason · `after-done` more after `[DONE]` · `stream-as-json` a plain answer to a request for a stream · `plain-as-stream` the
 * other way round ·
 * `tokens=N` so many pieces · `words=N` so many, each of them one token for OpenAI’s tokenizer · `delay=MS` before each · `ignore-cap` do not obey the output cap ·
 * `big=N` a piece of N characters · `gzip` claim to be compressed ·
 * `says=WORD` one of text, tool, two-tools, bare-tool (no arguments), json, reasoning, refusal.
 */
export type FaultVerbs = ReadonlyMap<string, string>;

/** Finds all verbs in a text; a verb without a value has ''. */
export function readFaultVerbs(text: string): FaultVerbs {
  return new Map([...text.matchAll(/@@([a-z-]+)(?:=([^\s\\]+))?/g)].map(([, name = '', value = '']) => [name, value]));
}
