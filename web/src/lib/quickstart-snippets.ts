/** Stands where the secret would, when this page does not know it. */
export const secretPlaceholder = 'YOUR_KEY';

export interface SnippetFacts {
  /** Base URL as the SDKs want it, without `/chat/completions`. */
  readonly baseUrl: string;
  readonly secret: string;
  readonly model: string;
}

export interface Snippet {
  readonly language: 'curl' | 'Python' | 'Node';
  readonly hint: string;
  readonly code: string;
}

const question = 'Say hello to Tollgate.';

/** The first call in three languages; each runs as it stands once the secret is real. */
export function quickstartSnippets({ baseUrl, secret, model }: SnippetFacts): readonly Snippet[] {
  return [
    {
      language: 'curl',
      hint: 'Paste into a terminal.',
      code: `curl ${baseUrl}/chat/completions \\
  -H "Authorization: Bearer ${secret}" \\
  -H "Content-Type: application/json" \\
  -d '{
    "model": "${model}",
    "messages": [{"role": "user", "content": "${question}"}]
  }'`,
    },
    {
      language: 'Python',
      hint: 'After: pip install openai',
      code: `from openai import OpenAI

client = OpenAI(
    base_url="${baseUrl}",
    api_key="${secret}",
)

reply = client.chat.completions.create(
    model="${model}",
    messages=[{"role": "user", "content": "${question}"}],
)
print(reply.choices[0].message.content)`,
    },
    {
      language: 'Node',
      hint: 'After: npm install openai',
      code: `import OpenAI from 'openai';

const client = new OpenAI({
  baseURL: '${baseUrl}',
  apiKey: '${secret}',
});

const reply = await client.chat.completions.create({
  model: '${model}',
  messages: [{ role: 'user', content: '${question}' }],
});
console.log(reply.choices[0].message.content);`,
    },
  ];
}

/** The two lines that most clients of the OpenAI interface read from the environment. */
export function environmentSnippet(baseUrl: string, secret: string): string {
  return `OPENAI_BASE_URL=${baseUrl}\nOPENAI_API_KEY=${secret}`;
}

export interface SnippetModel {
  readonly id: string;
  readonly tier: string;
  readonly isDemo: boolean;
}

/** The model to show a newcomer: the small demo when there is one, else the first of the lower tier; null for none. */
export function chooseSnippetModel(models: readonly SnippetModel[]): string | null {
  const demo = models.find((model) => model.id === 'demo-small') ?? models.find((model) => model.isDemo);
  return (demo ?? models.find((model) => model.tier === 'lower') ?? models[0])?.id ?? null;
}
