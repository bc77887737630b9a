import { AppError } from '../../kernel/app-error.js';
import { isJsonObject, type JsonBody, toText } from '../../kernel/json-body.js';

/** A tool's name on this wire, where it may stand in a namespace. */
export interface NamespacedTool {
  readonly namespace: string;
  readonly name: string;
}

export interface ResponsesTools {
  readonly tools: unknown;
  /** By the name that the model is told. */
  readonly namespaced: ReadonlyMap<string, NamespacedTool>;
}

/** The name that a model is told, which knows no namespaces. */
export function flatToolName(namespace: unknown, name: unknown): unknown {
  return typeof namespace === 'string' && namespace !== '' ? `${namespace}__${toText(name)}` : name;
}

/**
 * Brings the tools of a body into one flat list of functions and custom tools.
 * @throws AppError `unsupported_value`, naming a tool that would run at the provider; `invalid_value` for a namespace with too long a name.
 */
export function readResponsesTools(tools: unknown): ResponsesTools {
  const namespaced = new Map<string, NamespacedTool>();
  // What is no list is left for the check of the whole body to refuse.
  if (!Array.isArray(tools)) return { tools, namespaced };
  const flat = tools.flatMap((tool: unknown, index): unknown[] => {
    if (!isJsonObject(tool)) return [tool];
    if (tool.type === 'namespace') return flatten(tool, `tools[${index}]`, namespaced);
    if (isUnaskedWebSearch(tool)) return [];
    if (tool.type === 'function' || tool.type === 'custom') return [tool];
    throw new AppError(
      'unsupported_value',
      `Unsupported value: 'tools[${index}].type' is '${toText(tool.type).slice(0, 64)}', a tool that runs at the provider. Send tools of type 'function' or 'custom', which you run yourself.`,
      { param: `tools[${index}].type` },
    );
  });
  return { tools: flat, namespaced };
}

/** Of a whole name, which a model is told. */
const nameCharactersMax = 64;

// It is written once more for each of its tools, so that it is looked at before.
function flatten(
  { name: namespace, tools }: JsonBody,
  place: string,
  namespaced: Map<string, NamespacedTool>,
): unknown[] {
  if (!Array.isArray(tools) || typeof namespace !== 'string') return [];
  if (namespace.length > nameCharactersMax) {
    const param = `${place}.name`;
    const words = `Invalid '${param}': must have at most ${nameCharactersMax} characters, its tools' names included.`;
    throw new AppError('invalid_value', words, { param });
  }
  return tools.filter(isJsonObject).map((tool) => {
    const flat = flatToolName(namespace, tool.name) as string;
    namespaced.set(flat, { namespace, name: toText(tool.name) });
    return { ...tool, name: flat };
  });
}

/**
 * A choice by the names that the model is told: a tool in a namespace is chosen as `crm.find`, with its namespace beside it, or as `find` where
 * one namespace alone has it. Codex's web search is not among the allowed ones, as it is not among the tools.
 */
export function flattenChoice(choice: unknown, offered: ResponsesTools): unknown {
  if (!isJsonObject(choice)) return choice;
  const names = listNames(offered);
  if (choice.type !== 'allowed_tools' || !Array.isArray(choice.tools)) return withFlatName(choice, names);
  const allowed = choice.tools.filter((tool: unknown) => !(isJsonObject(tool) && tool.type === 'web_search'));
  return {
    ...choice,
    tools: allowed.map((tool: unknown) => (isJsonObject(tool) ? withFlatName(tool, names) : tool)),
  };
}

interface OfferedNames {
  readonly offered: ReadonlySet<unknown>;
  /** By each way to say a tool in a namespace: the name that the model is told; null where it may be several. */
  readonly flat: ReadonlyMap<string, string | null>;
}

// Once for all that is chosen: to look through all tools for each choice takes their product.
function listNames({ tools, namespaced }: ResponsesTools): OfferedNames {
  const flat = new Map<string, string | null>();
  for (const [flatName, { namespace, name }] of namespaced) {
    for (const said of [name, `${namespace}.${name}`]) flat.set(said, flat.has(said) ? null : flatName);
  }
  const listed = Array.isArray(tools) ? tools.filter(isJsonObject) : [];
  return { offered: new Set(listed.map(({ name }) => name)), flat };
}

function withFlatName(tool: JsonBody, { offered, flat }: OfferedNames): JsonBody {
  const { namespace, name } = tool;
  if (typeof name !== 'string' || offered.has(name)) return tool;
  if (typeof namespace === 'string') return { ...tool, name: flatToolName(namespace, name) };
  const flatName = flat.get(name) ?? null;
  return flatName === null ? tool : { ...tool, name: flatName };
}

// Codex offers its web search with every call, wanted or not, and says in this way whether it may leave the provider.
function isUnaskedWebSearch({ type, external_web_access: access }: JsonBody): boolean {
  return type === 'web_search' && typeof access === 'boolean';
}
