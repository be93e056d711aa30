import { fetching, serverTool } from '../../../shared/adapters/call/calls.ts';
import type { ToolCall } from '../../../shared/tools/types.ts';
import type { CommandParams, FileChange } from './schemas.ts';

/** What an approval is asked for, in the gate's words. */
export type CodexQuestion =
  | { readonly kind: 'command'; readonly command: string }
  | { readonly kind: 'tool'; readonly call: ToolCall; readonly mustAsk: boolean };

/** The question behind a request about a command; null where it names none. */
export function commandQuestion(params: CommandParams): CodexQuestion | null {
  const { kind = 'command', command, networkApprovalContext: network } = params;
  if (network !== undefined && network !== null) {
    const { host, protocol } = network;
    const isWeb = protocol === 'http' || protocol === 'https';
    const call = isWeb
      ? fetching('network', `${protocol}://${host}/`, command ?? null)
      : serverTool('codex', 'network', { ...network, command });
    return { kind: 'tool', call, mustAsk: false };
  }
  if (typeof command !== 'string' || command.trim() === '') return null;
  // Keys for a program that runs already: a rule about commands says nothing about them.
  if (kind === 'writeStdin')
    return {
      kind: 'tool',
      call: serverTool('codex', 'write_stdin', { text: command }),
      mustAsk: true,
    };
  return { kind: 'command', command };
}

/** The question behind a change of files. What is not known to change is only for a person. */
export function fileQuestion(
  changes: readonly FileChange[] | null,
  asked: { readonly grantRoot?: string | null; readonly reason?: string | null },
): CodexQuestion {
  const grantRoot = asked.grantRoot ?? null;
  const [first, ...more] = changes ?? [];
  if (first === undefined) {
    const call = serverTool('codex', 'file_change', { grantRoot, reason: asked.reason ?? null });
    return { kind: 'tool', call, mustAsk: true };
  }
  const diffs = [first, ...more].map(({ path, diff }) => `--- ${path}\n${diff ?? ''}`);
  const root = grantRoot === null ? [] : [`It also asks to write anywhere below ${grantRoot}.`];
  const call: ToolCall = {
    kind: 'edit',
    tool: 'apply_patch',
    target: first.path,
    ...(more.length > 0 && { moreTargets: more.map(({ path }) => path) }),
    detail: { form: 'diff', text: [...root, ...diffs].join('\n') },
  };
  return { kind: 'tool', call, mustAsk: grantRoot !== null };
}

/** A wider sandbox: never by a rule. */
export function permissionsQuestion(permissions: Readonly<Record<string, unknown>>): CodexQuestion {
  return { kind: 'tool', call: serverTool('codex', 'permissions', permissions), mustAsk: true };
}
