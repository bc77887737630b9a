import { readMessagesTurns } from './messages-turns.js';

const turnsOf = (content: unknown, more: object = {}) =>
  readMessagesTurns({
    messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call', content, ...more }] }],
  }).turns;

describe('a result of a tool, as Anthropic’s clients send it', () => {
  it('becomes a message of its own, with its mark for the cache at its end', () => {
    const blocks = [
      { type: 'text', text: 'one' },
      { type: 'text', text: 'two' },
    ];
    const mark = { cache_control: { type: 'ephemeral' } };
    expect(turnsOf(blocks, mark)).toEqual([
      { role: 'tool', tool_call_id: 'call', content: [blocks[0], { ...blocks[1], ...mark }] },
    ]);
  });

  it('leaves what is no block as it came, for the check to refuse: a long text costs no more than its length', () => {
    expect(turnsOf(['a text'])).toEqual([{ role: 'tool', tool_call_id: 'call', content: ['a text'] }]);
  });

  it('has 2,048 blocks at most, and one more is refused by name', () => {
    const many = Array(2_048).fill({ type: 'text', text: 'x' });
    expect(turnsOf(many)).toHaveLength(1);
    expect(() => turnsOf([...many, many[0]])).toThrow(
      "Invalid 'messages[0].content[0].content': must have at most 2,048 items.",
    );
  });
});

describe('a document, as Anthropic’s clients send it', () => {
  const partsOf = (block: object) => {
    const { turns } = readMessagesTurns({ messages: [{ role: 'user', content: [block] }] });
    return (turns as { content: unknown }[])[0]?.content;
  };
  const document = (source: object, more: object = {}) => ({ type: 'document', title: 'Invoice', source, ...more });
  const text = (words: string) => ({ type: 'text', text: words });
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };
  const imagePart = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
  const content = (...blocks: unknown[]) => ({ type: 'content', content: blocks });
  const mark = { cache_control: { type: 'ephemeral' } };

  it('loses nothing: its context stands under its title, its images where they stood, its mark for the cache at its end', () => {
    const context = 'All amounts are in yen.';
    const plain = { type: 'text', media_type: 'text/plain', data: 'Total: 100' };
    const heading = 'Invoice\n\nAll amounts are in yen.\n\n';
    expect(partsOf(document(plain, { context }))).toEqual([text(`${heading}Total: 100`)]);
    const pages = content(text('one'), text('two'), image, text('three'), image);
    expect(partsOf(document(pages, { context, ...mark }))).toEqual([
      ...[text(`${heading}one\ntwo`), imagePart, text('three')],
      { ...imagePart, ...mark },
    ]);
    expect(partsOf(document(content(image)))).toEqual([text('Invoice\n\n'), imagePart]);
  });

  const searchResult = (more: object) => ({
    type: 'search_result',
    title: 'T',
    source: 'S',
    content: [text('R')],
    ...more,
  });

  it('found by a search is its title, source and words, with its mark for the cache', () => {
    expect(partsOf(searchResult(mark))).toEqual([{ ...text('T\nS\nR'), ...mark }]);
  });

  it.each([
    [document(content(text('a'), { type: 'audio' })), 'messages[0].content[0].source.content[1]'],
    [document(content(text('a')), { citations: { enabled: true } }), 'messages[0].content[0].citations'],
    [searchResult({ citations: { enabled: true } }), 'messages[0].content[0].citations'],
    [searchResult({ content: [image] }), 'messages[0].content[0].content'],
    [document({ type: 'base64', media_type: 'application/pdf', data: 'AAAA' }), 'messages[0].content[0].source'],
  ])('is refused by name with what nobody could tell the model: %j', (block, param) => {
    expect(() => partsOf(block)).toThrow(`Unsupported value: '${param}' is not offered here.`);
  });

  it('may say that it wants no citations', () => {
    expect(partsOf(searchResult({ citations: { enabled: false } }))).toEqual([text('T\nS\nR')]);
  });
});
