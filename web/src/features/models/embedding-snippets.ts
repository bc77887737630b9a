import type { Snippet, SnippetFacts } from '../../lib/quickstart-snippets';

const text = 'Say hello to Tollgate.';

/** The first vector in three languages, as `quickstartSnippets` has the first answer. */
export function embeddingSnippets({ baseUrl, secret, model }: SnippetFacts): readonly Snippet[] {
  return [
    {
      language: 'curl',
      hint: 'Paste into a terminal.',
      code: `curl ${baseUrl}/embeddings \\
  -H "Authorization: Bearer ${secret}" \\
  -H "Content-Type: application/json" \\
  -d '{
    "model": "${model}",
    "input": "${text}"
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

reply = client.embeddings.create(model="${model}", input="${text}")
print(len(reply.data[0].embedding))`,
    },
    {
      language: 'Node',
      hint: 'After: npm install openai',
      code: `import OpenAI from 'openai';

const client = new OpenAI({
  baseURL: '${baseUrl}',
  apiKey: '${secret}',
});

const reply = await client.embeddings.create({ model: '${model}', input: '${text}' });
console.log(reply.data[0].embedding.length);`,
    },
  ];
}
