import { quoteSafely } from './quote-safely.js';

describe('what is quoted of a provider', () => {
  it.each([
    ...[
      '2001:db8::7',
      'fe80::1%eth0',
      '[fd00:1234::7]:8000',
      '::ffff:10.0.0.7',
      'dead:beef::cafe',
      '10.0.0.7',
      '10.0.0.7:8000',
    ],
    ...[
      'gpu7.corp:8000',
      'vllm.svc.cluster.local',
      'tools.acme.com',
      'model.internal',
      'localhost:11434',
      'vllm:8000',
      'db7.lan',
    ],
    ...[
      'https://user:pass@internal.example/v1?x=1',
      'wss://gateway.corp/x',
      'ops@acme.example',
      'grpc://10.1.2.3',
      'host.corp/v1',
    ],
    ...[
      'wrkspc_01JwQvzr7rXLA5AGx3HKfFUJ',
      'ten_9f8a7b6c5d',
      'org-lFXOQewnDabcKZtQwErTyUiO',
      'org_01kg',
      'proj_abc12345',
      'team-blue',
    ],
    ...[
      'ws-acme-7f3k9q2x',
      'projects/tollgate-prod',
      'accounts/our-team/models/x',
      '123456789012',
      'req_0123456789abcdef',
    ],
    ...[
      'f47ac10b-58cc-4372-a567-0e02b2c3d479',
      'AIzaSyCanary-0123456789_canary',
      'sk-ab****wxyz',
      'Bearer abcdef',
      'key=AKIA1234567890',
    ],
    ...[
      'project 12345',
      'organization `acme`',
      'workspace "blue sky"',
      'QwErTyUiOpAsDfGhJkLz',
      'dGhlIHF1aWNrIGJyb3du+/==',
    ],
  ])('has none of %s', (secret) => {
    const quoted = quoteSafely(`Wrong: ${secret} in field 'stop'.`, []);
    expect(quoted).toMatch(/^Wrong: \[?\[removed\]\S*(?: \[removed\])? in field 'stop'\.$/);
    for (const part of secret.split(/[^\w.-]+/)) {
      const isTelling =
        /[a-z]/i.test(part) && part.length > 3 && !/^(?:project|organization|workspace|Bearer)$/.test(part);
      if (isTelling) expect(quoted).not.toContain(part);
    }
  });

  it.each([
    "Invalid 'temperature': must be at most 2.",
    "This model's maximum context length is 1,048,576 tokens. However, you requested 1050000 tokens (1049000 in the messages, 1000 in the completion).",
    "Invalid schema for function 'get_weather': In context=('properties', 'unit'), 'additionalProperties' is required to be supplied and to be false.",
    'messages.0.content.1.image_url: Could not process image',
    'tools.0.custom.input_schema.properties: Property keys should match the pattern',
    'Unknown name "propertyNames" at \'tools[0].function_declarations[3].parameters\': Cannot find field.',
    'models/gemini-2.5-pro is not found for API version v1beta, or is not supported for generateContent.',
    'The model `gpt-4o-2024-08-06` does not exist, use claude-3-5-haiku-20241022 or DeepSeek-V3.1 (e.g. with reasoning_effort=low).',
    '* GenerateContentRequest.tools[0].function_declarations[0].name: Invalid function name.',
    'Expected base64 of image/png, and/or int32, at most 20MB and 99.5%: got #3, 1e20 and -0.5',
    'thinking is enabled but reasoning_content is missing in assistant tool call message at index 2',
    'Das Bild konnte nicht gelesen werden. 请求参数错误：温度过高。',
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.",
    '{"type":"object","limit":30000}',
  ])('has all of %s', (words) => {
    expect(quoteSafely(words, [])).toBe(words);
  });

  it('has the name of the model that was asked, however it is written', () => {
    const model = 'accounts/acme/models/house-model#a1b2c3d4e5';
    expect(quoteSafely(`The model '${model}' takes no images`, [model])).toContain(model);
    expect(quoteSafely(`The model '${model}' takes no images`, [])).not.toContain('a1b2');
  });
});
