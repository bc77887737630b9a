import { environmentSnippet, quickstartSnippets, type SnippetFacts } from './quickstart-snippets';

export interface ClientGuide {
  readonly id: string;
  readonly name: string;
  /** What to do, in one or two sentences. */
  readonly hint: string;
  /** What to copy, with its name. */
  readonly blocks: readonly { readonly what: string; readonly code: string }[];
}

/** How each well-known client is pointed here; every block runs as it stands once the secret is real. */
export function clientGuides(facts: SnippetFacts): readonly ClientGuide[] {
  const snippets = quickstartSnippets(facts).map(({ language, hint, code }) => ({
    id: language.toLowerCase(),
    name: language,
    hint,
    blocks: [{ what: `${language} snippet`, code }],
  }));
  return [...snippets, ...libraryGuides(facts), ...appGuides(facts)];
}

function libraryGuides({ baseUrl, secret, model }: SnippetFacts): readonly ClientGuide[] {
  return [
    {
      id: 'ai-sdk',
      name: 'AI SDK',
      hint: 'After: npm install ai @ai-sdk/openai-compatible',
      blocks: [
        {
          what: 'AI SDK snippet',
          code: `import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { streamText } from 'ai';

const tollgate = createOpenAICompatible({
  name: 'tollgate',
  baseURL: '${baseUrl}',
  apiKey: '${secret}',
});

const { textStream } = streamText({
  model: tollgate('${model}'),
  prompt: 'Say hello to Tollgate.',
});
for await (const text of textStream) process.stdout.write(text);`,
        },
      ],
    },
    {
      id: 'langchain',
      name: 'LangChain',
      hint: 'After: pip install langchain-openai. In JavaScript, ChatOpenAI takes configuration: { baseURL }.',
      blocks: [
        {
          what: 'LangChain snippet',
          code: `from langchain_openai import ChatOpenAI

model = ChatOpenAI(
    base_url="${baseUrl}",
    api_key="${secret}",
    model="${model}",
)
print(model.invoke("Say hello to Tollgate.").content)`,
        },
      ],
    },
  ];
}

function appGuides({ baseUrl, secret, model }: SnippetFacts): readonly ClientGuide[] {
  return [
    {
      id: 'open-webui',
      name: 'Open WebUI',
      hint: 'Admin settings, Connections, OpenAI API: add a connection with this address and key. Or start it like this; the models appear by themselves.',
      blocks: [
        {
          what: 'Open WebUI command',
          code: `docker run -d -p 3000:8080 \\
  -e OPENAI_API_BASE_URL=${baseUrl} \\
  -e OPENAI_API_KEY=${secret} \\
  -v open-webui:/app/backend/data \\
  ghcr.io/open-webui/open-webui:main`,
        },
      ],
    },
    {
      id: 'cursor',
      name: 'Cursor',
      hint: 'Settings, Models, API keys: switch on “Override OpenAI Base URL”, paste both, then add the model by its name. Cursor calls from its own servers, so this address must be reachable from the internet.',
      blocks: [
        { what: 'base URL', code: baseUrl },
        { what: 'key', code: secret },
        { what: 'model name', code: model },
      ],
    },
    {
      id: 'continue',
      name: 'Continue',
      hint: 'In ~/.continue/config.yaml:',
      blocks: [
        {
          what: 'Continue configuration',
          code: `models:
  - name: Tollgate ${model}
    provider: openai
    model: ${model}
    apiBase: ${baseUrl}
    apiKey: ${secret}`,
        },
      ],
    },
    {
      id: 'anything-else',
      name: 'Others',
      hint: 'Most programs that speak the OpenAI interface read these two from the environment.',
      blocks: [{ what: '.env snippet', code: environmentSnippet(baseUrl, secret) }],
    },
  ];
}
