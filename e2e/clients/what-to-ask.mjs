/** The tools that every client offers, in OpenAI's form. */
export const tools = [
  {
    type: 'function',
    function: {
      name: 'get_weather',
      description: 'The weather in a city',
      parameters: {
        type: 'object',
        properties: { city: { type: 'string' } },
        required: ['city'],
        additionalProperties: false,
      },
    },
  },
  {
    type: 'function',
    function: {
      name: 'get_time',
      description: 'The time now',
      parameters: { type: 'object', properties: {}, additionalProperties: false },
    },
  },
];

/** The same in the form of Responses. */
export function toFlatTools() {
  return tools.map(({ type, function: target }) => ({ type, ...target }));
}

/** The same in Anthropic's form. */
export function toAnthropicTools() {
  return tools.map(({ function: { name, description, parameters } }) => ({
    name,
    description,
    input_schema: parameters,
  }));
}

/** What a structured answer must look like. */
export const answerSchema = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};

/** One transparent pixel. */
export const imageUrl =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** One user message, with the picture where it is asked for. */
export function toMessages({ text, sendsImage }) {
  if (!sendsImage) return [{ role: 'user', content: text }];
  const parts = [
    { type: 'text', text },
    { type: 'image_url', image_url: { url: imageUrl, detail: 'low' } },
  ];
  return [{ role: 'user', content: parts }];
}
