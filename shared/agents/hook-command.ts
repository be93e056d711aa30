import { quoteWords } from '../engine/index.ts';
import { decideOnlyFlag, fieldsOf, promptFlag } from './hook-entries.ts';
import type { Fields, HookPlace, HookPlan } from './hook-entries.ts';
import type { HostHook } from './host.ts';
import { hostHooks } from './list.ts';
import type { AgentHost } from './list.ts';
import { isHost } from './registry.ts';

/** The hook program below the folder of the package, after the build. */
export const hookProgramPath = 'dist/runner/hook/main.cjs';

/**
 * The native client, where it was built (`runner/client`): what is behind it is done as Node would,
 * in less time.
 */
export const clientPath = 'dist/native/interlock-client';

/** What a host is told to start on every use of a tool. */
export interface HookCommand {
  /** Absolute path of the native client, where there is one. */
  readonly client?: string;
  /** Absolute path of Node. */
  readonly node: string;
  /** Absolute path of the hook program. */
  readonly program: string;
  readonly host: AgentHost;
  /** Whose key signs the requests, and whose rules hold. */
  readonly agent: string;
  /** Absolute path of the Interlock home; null for the default one. */
  readonly home: string | null;
  /** Whole seconds after which the hook itself says no. Less than the host's own limit. */
  readonly wait: number;
  /** The host runs what is allowed itself, as it came; else the runner does. */
  readonly decideOnly?: true;
  /** It sees what is typed to the agent, and holds no tool. */
  readonly prompt?: true;
}

/**
 * Hosts take a hook that is missing, crashes or is killed for no answer, and go on by their own
 * rules. Exit status 2 with words on stderr is what they take for "no", so the shell that starts the
 * hook says that in its place.
 */
const guard =
  " || { echo 'Interlock allowed nothing: its hook program did not answer.' >&2; exit 2; }";

/** The same where a refusal has that status already, with words of its own. */
const guardOfStatus =
  " || { [ $? -eq 2 ] || echo 'Interlock allowed nothing: its hook program did not answer.' >&2; exit 2; }";

/** A hook for prompts that fails says nothing, so that the agent gets what was typed. */
const unguarded = ' || true';

/** What is to stand in a host's settings, with the lines for tools and for prompts. */
export function hookPlan(
  command: HookCommand,
  { seconds, tools }: Pick<HookPlan, 'seconds' | 'tools'>,
): HookPlan {
  const { decideOnly: _, ...forPrompts } = command;
  const prompt = hookCommand({ ...forPrompts, prompt: true });
  return { command: hookCommand(command), prompt, seconds, tools };
}

/**
 * The line that goes into a host's settings: `[CLIENT] NODE PROGRAM HOST --agent NAME --wait SECONDS
 * [--home FOLDER] [--decide-only | --prompt]`, quoted for a POSIX shell, and what the shell says when that fails. The hook
 * program reads its arguments by `hookOptions`.
 */
export function hookCommand(command: HookCommand): string {
  const { refusesByStatus }: HostHook = hostHooks[command.host];
  // What is typed runs nothing: a person goes on talking to an agent whose tools are all held.
  if (command.prompt === true) return `${quoteWords(hookWords(command))}${unguarded}`;
  return quoteWords(hookWords(command)) + (refusesByStatus === true ? guardOfStatus : guard);
}

/** The same as a list of words, for hosts that start a program without a shell. */
export function hookWords(command: HookCommand): string[] {
  const { client, node, program, host, agent, home, wait, decideOnly, prompt } = command;
  const words = [
    ...(client === undefined ? [] : [client]),
    node,
    program,
    host,
    '--agent',
    agent,
    '--wait',
    String(wait),
  ];
  if (home !== null) words.push('--home', home);
  if (decideOnly === true) words.push(decideOnlyFlag);
  if (prompt === true) words.push(promptFlag);
  return words;
}

/** What stands in the line behind the programs. */
export type HookOptions = Omit<HookCommand, 'client' | 'node' | 'program'>;

/** What stands in the arguments of the hook program, or null where they are not as written above. */
export function hookOptions(words: readonly string[]): HookOptions | null {
  const decideOnly = words.at(-1) === decideOnlyFlag;
  const prompt = words.at(-1) === promptFlag;
  const args = decideOnly || prompt ? words.slice(0, -1) : words;
  const [host = '', agentFlag, agent, waitFlag, wait = '', homeFlag, home, ...rest] = args;
  const isWhole = args.length === 5 || (args.length === 7 && homeFlag === '--home');
  if (!isWhole || rest.length > 0 || agentFlag !== '--agent' || waitFlag !== '--wait') return null;
  if (!isHost(host) || agent === undefined || !/^[1-9]\d{0,5}$/.test(wait)) return null;
  const options = { host, agent, wait: Number(wait), home: home ?? null };
  if (prompt) return { ...options, prompt };
  return decideOnly ? { ...options, decideOnly } : options;
}

/** Reads a line of `hookCommand` back; null for every line of somebody else. */
export function readHookCommand(line: string): HookCommand | null {
  const end = [guard, guardOfStatus, unguarded].find((one) => line.endsWith(one)) ?? '';
  return readHookWords(wordsOf(line.slice(0, line.length - end.length)));
}

/** Reads the words of `hookWords` back; null for those of somebody else. */
export function readHookWords(words: readonly string[]): HookCommand | null {
  const client = words[0]?.endsWith(`/${clientPath}`) === true ? words[0] : undefined;
  const [node, program, ...args] = client === undefined ? words : words.slice(1);
  if (node === undefined || program?.endsWith(`/${hookProgramPath}`) !== true) return null;
  const options = hookOptions(args);
  if (options === null) return null;
  return { ...(client !== undefined && { client }), node, program, ...options };
}

/** The words of a line that `quoteWords` made. */
function wordsOf(line: string): string[] {
  return Array.from(line.matchAll(/(?:'[^']*'|\\'|[^\s'])+/g), ([word]) =>
    word.replaceAll(
      /'([^']*)'|\\(')/g,
      (_all, plain?: string, mark?: string) => plain ?? mark ?? '',
    ),
  );
}

/** A hook of ours in a host's settings. */
export interface FoundHook extends HookPlace {
  /** Nothing of anybody else stands at `index`. */
  readonly alone: boolean;
  readonly command: HookCommand;
}

/**
 * Every hook of ours in parsed settings, in the order of the file; those that hold nothing come last.
 * Unknown forms are passed over.
 */
export function findHooks(settings: unknown): readonly FoundHook[] {
  const found = Object.entries(fieldsOf(fieldsOf(settings)['hooks'])).flatMap(([event, list]) =>
    listOf(list).flatMap((entry, index) => hooksIn(entry, event, index)),
  );
  const holds = ({ command }: FoundHook): boolean => command.prompt !== true;
  return [...found.filter(holds), ...found.filter((one) => !holds(one))];
}

function hooksIn(value: unknown, event: string, index: number): readonly FoundHook[] {
  const entry = fieldsOf(value);
  const own = commandOf(entry);
  if (own !== null)
    return [{ event, index, handler: null, alone: true, command: own, entry, fields: entry }];
  const handlers = listOf(entry['hooks']);
  return handlers.flatMap((one, handler) => {
    const fields = fieldsOf(one);
    const command = commandOf(fields);
    if (command === null) return [];
    return [{ event, index, handler, alone: handlers.length === 1, command, entry, fields }];
  });
}

function commandOf({ command }: Fields): HookCommand | null {
  return typeof command === 'string' ? readHookCommand(command) : null;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
