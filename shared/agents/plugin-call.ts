import { compile, s } from '../base/index.ts';
import type { Static } from '../base/index.ts';
import type { HookEvent, HostAdapter } from '../wire/index.ts';
import {
  folderSchema,
  idSchema,
  inputSchema,
  must,
  oneText,
  serverTool,
  statedReason,
} from './call.ts';
import type { ToolReaders } from './call.ts';

/** What our plugins write to the hook. It is ours, so the schemas are closed. */
const toolEvent = s.object({
  version: s.literal(1),
  event: s.literal('tool'),
  tool: idSchema,
  sessionID: idSchema,
  callID: idSchema,
  directory: folderSchema,
  args: inputSchema,
});
type ToolEvent = Static<typeof toolEvent>;

const checkInput = compile(
  s.union(
    toolEvent,
    s.object({ version: s.literal(1), event: s.literal('session-ended'), sessionID: idSchema }),
  ),
);

/** A command that one of the host's tools would run. */
export interface ShellCall {
  readonly command: string;
  readonly reason?: string | undefined;
  /** Where it runs; absolute. */
  readonly cwd: string;
}

/** What is known of a host whose plugin is ours. */
export interface PluginHost {
  /** What people call it. */
  readonly title: string;
  /** Its name before tools that are not known here, and those of servers. */
  readonly name: string;
  readonly answer: HostAdapter['answer'];
  /**
   * Tools that only look, plan or talk to the person, and tools whose own steps are asked about one by
   * one. The host's rules decide about them. A tool that is in no list is asked about.
   */
  readonly free: ReadonlySet<string>;
  /** Tools that run shell text; null where this call of one runs none, `free` where it only looks. */
  readonly shells: Readonly<
    Record<string, (args: unknown, directory: string) => ShellCall | 'free' | null>
  >;
  readonly readers: ToolReaders;
}

/**
 * The adapter of such a host. Its servers' tools have names that cannot be taken apart with certainty,
 * so one is `HOST/TOOL`, as is every tool that is not known here.
 */
export function pluginAdapter(host: PluginHost): HostAdapter {
  return {
    rewrites: true,
    shell: oneText,
    answer: host.answer,
    read: (input) => {
      const told = must(checkInput, input, host.title);
      if (told.event === 'session-ended') return { kind: 'session-ended', session: told.sessionID };
      return readTool(host, told);
    },
  };
}

function readTool(host: PluginHost, told: ToolEvent): HookEvent {
  const { tool, args, directory, sessionID, callID } = told;
  if (host.free.has(tool)) return { kind: 'not-gated' };
  const base = { session: sessionID, toolUseId: callID };
  const shell = own(host.shells, tool)?.(args, directory) ?? null;
  if (shell === 'free') return { kind: 'not-gated' };
  if (shell !== null) {
    const { command, reason, cwd } = shell;
    return {
      kind: 'command',
      command,
      context: { ...base, statedReason: statedReason(reason), cwd },
    };
  }
  const call = own(host.readers, tool)?.(args) ?? serverTool(host.name, tool, args);
  return { kind: 'tool', call, context: { ...base, statedReason: null, cwd: directory } };
}

function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
