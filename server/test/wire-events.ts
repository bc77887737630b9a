import { expectSame } from './expect-same.js';

/**
 * The data of each event of a stream in which every event has a name, and is one line of JSON whose `type` repeats it; comments
 * are left out.
 * @throws when an event is written otherwise.
 */
export function readNamedEvents(body: string): readonly { readonly type: string }[] {
  expect(body.endsWith('\n\n')).toBe(true);
  const blocks = body.split('\n\n').filter((block) => block !== '' && !block.startsWith(':'));
  return blocks.map((block) => {
    const [, name, json = ''] = /^event: ([^\n]+)\ndata: ([^\n]+)$/.exec(block) ?? [];
    const data = JSON.parse(json) as { type: string };
    expectSame(data.type, name);
    return data;
  });
}
