import { findSchemaFault, findToolsFault, toChatBody } from './chat-body';

const settings = { model: 'demo-small', system: '', temperature: null, maxTokens: null, isStreamed: true };
const messages = [{ role: 'user', content: 'Hi' }] as const;

describe('toChatBody', () => {
  it('leaves out what is not set', () => {
    const bare = { ...settings, isStreamed: false, schema: ' ', tools: '' };
    expect(toChatBody(bare, messages)).toEqual({ model: 'demo-small', messages });
  });

  it('holds every parameter that is set', () => {
    const all = { ...settings, system: 'Be brief.', temperature: 0.5, maxTokens: 9 };
    expect(toChatBody(all, messages)).toMatchObject({
      messages: [{ role: 'system', content: 'Be brief.' }, ...messages],
      temperature: 0.5,
      max_tokens: 9,
      stream: true,
    });
  });

  it('gives a schema that stands alone a name, and leaves one with a name as it is', () => {
    const schema = { type: 'object', properties: {} };
    const formatOf = (text: object) =>
      toChatBody({ ...settings, schema: JSON.stringify(text) }, messages).response_format;
    expect(formatOf(schema)).toEqual({ type: 'json_schema', json_schema: { name: 'answer', schema } });
    const named = { name: 'city', strict: true, schema };
    expect(formatOf(named)).toEqual({ type: 'json_schema', json_schema: named });
  });

  it('sends tools as they are written, and pictures beside the words', () => {
    const tools = [{ type: 'function', function: { name: 'get_weather' } }];
    const images = ['data:image/png;base64,AA=='];
    const body = toChatBody({ ...settings, tools: JSON.stringify(tools) }, [{ ...messages[0], images }]);
    expect(body).toMatchObject({
      tools,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Hi' },
            { type: 'image_url', image_url: { url: images[0] } },
          ],
        },
      ],
    });
  });
});

describe('what is typed as schema or tools', () => {
  it.each(['', '  ', '{}', '{"type":"object"}'])('is no fault as schema: %j', (text) => {
    expect(findSchemaFault(text)).toBeNull();
  });
  it.each(['{', '[]', '"text"', 'null'])('is a fault as schema: %j', (text) => {
    expect(findSchemaFault(text)).toMatch(/^Write one JSON object/);
  });
  it.each(['', '[{"type":"function"}]'])('is no fault as tools: %j', (text) => {
    expect(findToolsFault(text)).toBeNull();
  });
  it.each(['[', '[]', '{}', '[1]'])('is a fault as tools: %j', (text) => {
    expect(findToolsFault(text)).toMatch(/^Write a JSON list/);
  });
});
