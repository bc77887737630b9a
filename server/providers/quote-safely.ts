const removed = '[removed]';

// Whatever an address, a key or an identifier can be written in; the characters between such runs tell nothing.
const run = /[\w.:/@+\-*~#?&=$%]+/g;

// What follows these belongs to our account, in whatever form: `Bearer abc`, organization `acme`, project 1234.
const named =
  /\b(bearer\s+\S+|(?:organi[sz]ation|workspace|project|account|tenant|team)s?\s+(?:(["'`]).*?\2|[\w-]*\d[\w-]*))/gi;
const namedRun =
  /^(?:sk|pk|rk|gsk|xai|csk|fw|tgp|key|orgs?|organi[sz]ations?|proj|projects?|wrkspc|workspaces?|acct|accounts?|tenant|team|user|req|request)[-_/].{4,}/i;

const harmlessStart = /^(?:and|models|image|audio|video|text|application)\/|^GenerateContentRequest\./;
// `messages.0.content`: hosts have neither an underscore nor a number there.
const fieldPath =
  /^(?:messages|contents|input|system|tools|tool_choice|response_format|generation_?config|thinking|output_config|metadata|body)(?:\.(?:\d+|[a-z]+_\w+)|\.(?:messages|content|function|parameters|properties|schema|type|url)(?=\.|$))(?:\.\w+)*$/i;
const initials = /^[a-z](?:\.[a-z])+$/i;

/**
 * What of a provider's words a caller may read: words, numbers, names of fields and of models. Whatever else is written in the
 * characters of an address, a key or an identifier is `[removed]`, known or not.
 * @param known What is as it is, such as the model that was asked.
 */
export function quoteSafely(text: string, known: readonly string[]): string {
  return text
    .replaceAll(named, removed)
    .replaceAll(run, (found) => (isSafe(found.replaceAll(/^[.:#$~+*=-]+|[.:?%+*=-]+$/g, ''), known) ? found : removed));
}

function isSafe(core: string, known: readonly string[]): boolean {
  if (known.includes(core) || initials.test(core) || !/[a-z\d]/i.test(core)) return true;
  if (namedRun.test(core)) return false;
  return core.split('=').every((part) => {
    const name = part.replace(harmlessStart, '');
    // One point between digits is a fraction or a version, three are an address.
    const joined = fieldPath.test(name) ? name.replaceAll('.', '-') : name.replace(/(\d)\.(\d)/, '$1-$2');
    return joined.split(/[-_]/).every(isWordOrNumber);
  });
}

// An identifier is longer than a number is, or changes between letters and digits, or between small letters and capitals.
function isWordOrNumber(segment: string): boolean {
  if (/^(?:\d{0,9}|[a-z\d]{1,6}|(?:u?int|float)\d\d?)$/i.test(segment)) return true;
  if (!/^[a-z]{1,32}$/i.test(segment)) return false;
  const capitals = segment.replaceAll(/[a-z]/g, '').length;
  return capitals === segment.length || capitals <= 2 + segment.length / 6;
}
