import type { ToolCall } from '../../tools/types.ts';
import { unifiedDiff } from './diff.ts';

/** One replacement in a file. */
export interface Replacement {
  readonly before: string;
  readonly after: string;
  /** Wherever `before` stands, not only once. */
  readonly everywhere: boolean;
}

/** A change of a file that is told as replacements: shown as one diff each. */
export function replacing(
  tool: string,
  path: string,
  replacements: readonly Replacement[],
): ToolCall {
  const text = replacements
    .map(({ before, after, everywhere }) =>
      [everywhere ? 'replace_all: true\n' : '', unifiedDiff(path, before, after)].join(''),
    )
    .join('\n');
  return { kind: 'edit', tool, target: path, detail: { form: 'diff', text } };
}

/** A file that is written whole. What stood there before is not told. */
export function writing(tool: string, path: string, content: string): ToolCall {
  return { kind: 'edit', tool, target: path, detail: { form: 'content', text: content } };
}

/** A look at an address, with what the agent wants to know from it. */
export function fetching(tool: string, address: string, question: string | null): ToolCall {
  const detail = question === null ? null : { form: 'question' as const, text: question };
  return { kind: 'fetch', tool, target: address, detail };
}

/** The same for several addresses at once. */
export function fetchingAll(
  tool: string,
  addresses: readonly string[],
  question: string | null,
): ToolCall {
  const [address = '', ...moreTargets] = addresses;
  return { ...fetching(tool, address, question), moreTargets };
}

/** A search of the web: the target is `search:` with the words. */
export function searching(tool: string, words: string): ToolCall {
  return fetching(tool, `search:${words}`, words);
}

/** A tool of a server, or one of the host that we do not know: shown with its input. */
export function serverTool(server: string, tool: string, input: unknown): ToolCall {
  return {
    kind: 'mcp',
    tool,
    target: `${server}/${tool}`,
    detail: { form: 'input', text: JSON.stringify(input, null, 2) },
  };
}

/** Server and tool of names such as `mcp__server__tool`; null for a name of another form. */
export function splitServerTool(
  name: string,
  prefix: string,
  between: string,
): { readonly server: string; readonly tool: string } | null {
  if (!name.startsWith(prefix)) return null;
  const rest = name.slice(prefix.length);
  const cut = rest.indexOf(between);
  if (cut <= 0 || cut + between.length >= rest.length) return null;
  return { server: rest.slice(0, cut), tool: rest.slice(cut + between.length) };
}
