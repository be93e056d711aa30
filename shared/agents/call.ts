import { FILE_HEADERS_ONLY, createTwoFilesPatch } from 'diff';
import { compile, refuse, s } from '../base/index.ts';
import type { Check, Schema } from '../base/index.ts';
import type { ToolCall } from '../engine/index.ts';
import type { HostShell } from '../wire/index.ts';

/** Lines that may differ before the search for the shortest diff is given up for a plain one. */
const mostEdits = 4000;

/**
 * A unified diff from one text to another, with the path of the file in its head. Line numbers are
 * those of the texts given. Texts that differ too much are shown as all removed and all added, so
 * that the time it takes stays small.
 */
export function unifiedDiff(path: string, before: string, after: string): string {
  return (
    createTwoFilesPatch(path, path, before, after, undefined, undefined, {
      context: 3,
      maxEditLength: mostEdits,
      headerOptions: FILE_HEADERS_ONLY,
    }) ?? plainDiff(path, before, after)
  );
}

function plainDiff(path: string, before: string, after: string): string {
  const removed = linesOf(before);
  const added = linesOf(after);
  const head = `@@ -1,${String(removed.length)} +1,${String(added.length)} @@`;
  const lines = [...removed.map((line) => `-${line}`), ...added.map((line) => `+${line}`)];
  return [`--- ${path}`, `+++ ${path}`, head, ...lines, ''].join('\n');
}

function linesOf(text: string): readonly string[] {
  return text.split('\n');
}

/** The lines of a patch that name a file; the host reads them leniently, and so must we. */
const fileLine = /^\s*\*\*\* (?:Add File|Update File|Delete File|Move to):\s*(.+?)\s*$/gmu;

/**
 * A patch of the form `*** Begin Patch … *** End Patch`, with every file that it names as a target.
 * Throws an `invalid-request` refusal where it names none.
 */
export function patching(tool: string, patch: string): ToolCall {
  const files = new Set(Array.from(patch.matchAll(fileLine), ([, path = '']) => path));
  const [target, ...moreTargets] = files;
  if (target !== undefined)
    return { kind: 'edit', tool, target, moreTargets, detail: { form: 'diff', text: patch } };
  throw refuse(
    'invalid-request',
    'The patch names no file, so it cannot be said what it would change.',
    'Write it as "*** Begin Patch", with a line such as "*** Update File: PATH" for each file.',
  );
}

/** The shell of a host that starts each command where it was told to, and shows one text. */
export const oneText: HostShell = { lastingFolder: false, oneStream: true };

/** The agent's own words for why, null where it gave none. */
export function statedReason(words: string | undefined): string | null {
  return words === undefined || words === '' ? null : words;
}

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
function searching(tool: string, words: string): ToolCall {
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
function splitServerTool(
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

type ToolReader = (input: unknown) => ToolCall;

/** What the tools of a host do, by their names. */
export type ToolReaders = Readonly<Record<string, ToolReader>>;

/**
 * What a use of a tool is: as its reader says, else a tool of the server that its name says with
 * `prefix` and `between`, else one of the host that we do not know.
 */
export function toolCallOf(
  { name, input }: { readonly name: string; readonly input: unknown },
  readers: ToolReaders,
  host: { readonly name: string; readonly prefix: string; readonly between: string },
): ToolCall {
  const reader = Object.hasOwn(readers, name) ? readers[name] : undefined;
  if (reader !== undefined) return reader(input);
  const named = splitServerTool(name, host.prefix, host.between);
  return serverTool(named?.server ?? host.name, named?.tool ?? name, input);
}

/** Readers of inputs that are called the same in several hosts; `host` is what people call it. */
export function commonReaders(host: string): {
  readonly [What in 'writes' | 'patches' | 'fetches' | 'searches']: (tool: string) => ToolReader;
} {
  return {
    writes: (tool) => (input) => {
      const { file_path, content } = must(checkContent, input, host);
      return writing(tool, file_path, content);
    },
    patches: (tool) => (input) => patching(tool, must(checkPatch, input, host).input),
    fetches: (tool) => (input) => fetching(tool, must(checkAddress, input, host).url, null),
    searches: (tool) => (input) => searching(tool, must(checkQuery, input, host).query),
  };
}

/**
 * The checked value, or an `invalid-request` refusal: a host that speaks otherwise than its contract
 * is not understood, and what is not understood is not allowed.
 */
export function must<T>(check: Check<T>, value: unknown, host: string): T {
  const checked = check(value);
  if (checked.ok) return checked.value;
  throw refuse(
    'invalid-request',
    `${host} told its hook something that Interlock does not understand: ${checked.error}`,
    `Nothing was allowed. Bring ${host} and Interlock to versions that fit; docs/agents says which were seen to.`,
  );
}

/** A host's id of something. */
export const idSchema = s.string({ minLength: 1, maxLength: 512 });

/** An absolute folder, as POSIX or Windows writes it. */
export const folderSchema = s.string({ pattern: '^(/|[A-Za-z]:[\\\\/])', maxLength: 4_096 });

/** A text that is something: a command, a path, an address. */
export const textSchema = s.string({ minLength: 1 });

/** The input of a tool, whatever it is. */
export const inputSchema = s.record(s.unknown());

/** Which event it is; events that are not named here are not ours to answer. */
export function eventCheck<const Event extends string>(
  events: readonly Event[],
): Check<{ readonly hook_event_name: Event }> {
  const event: Schema<Event> = s.oneOf(events);
  return compile(s.open({ hook_event_name: event }));
}

/** What the hook of a tool says in Claude Code and in those that took its form. */
export const toolEventFields = {
  session_id: idSchema,
  cwd: folderSchema,
  tool_name: idSchema,
  tool_input: inputSchema,
};

/** `UserPromptSubmit`, as Claude Code made it and others took it over. */
export const checkPrompt = compile(s.open({ session_id: idSchema, prompt: s.string() }));

/** `SessionEnd`, as Claude Code made it and others took it over. */
export const checkSessionEnd = compile(s.open({ session_id: idSchema }));

const checkContent = compile(s.open({ file_path: textSchema, content: s.string() }));
const checkPatch = compile(s.open({ input: textSchema }));
const checkAddress = compile(s.open({ url: textSchema }));
const checkQuery = compile(s.open({ query: textSchema }));
