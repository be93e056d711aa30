import { fetching, fieldOf, serverTool, unifiedDiff } from '../../../shared/agents/index.ts';
import type { ToolCall } from '../../../shared/engine/index.ts';
import { checkCommandSubject, checkDiff, checkLocation, checkToolCallSubject } from './schemas.ts';
import type { PermissionParams, ToolCallPart } from './schemas.ts';

/** What a permission is asked for, in the gate's words. */
type AcpQuestion =
  | { readonly kind: 'command'; readonly command: string; readonly cwd: string | null }
  | { readonly kind: 'argv'; readonly argv: readonly string[]; readonly cwd: string | null }
  | { readonly kind: 'tool'; readonly call: ToolCall };

export interface AcpAsk {
  readonly question: AcpQuestion;
  readonly toolCallId: string | null;
  /** The agent's own words. */
  readonly statedReason: string | null;
}

/** Whole contents that files get when the agent does what it asks for. */
export function contentsOf(
  part: ToolCallPart,
): readonly { readonly path: string; readonly text: string }[] {
  return diffsOf(part).map(({ path, newText }) => ({ path, text: newText }));
}

/**
 * The question behind `session/request_permission`. `merge` adds what was told of the tool call
 * before. What fits no known form is asked about as it came, and never taken for something harmless.
 */
export function askOf(
  params: PermissionParams,
  merge: (part: ToolCallPart) => ToolCallPart,
): AcpAsk & { readonly part: ToolCallPart | null } {
  const told = [params.title, params.description].filter((text) => typeof text === 'string');
  const said = told.length === 0 ? null : told.join('\n');
  const command = checkCommandSubject(params.subject);
  if (command.ok) {
    const { command: text, cwd, toolCallId } = command.value;
    const question = { kind: 'command', command: text, cwd } as const;
    return { question, toolCallId: toolCallId ?? null, statedReason: said, part: null };
  }
  const subject = checkToolCallSubject(params.subject);
  const given = subject.ok ? subject.value.toolCall : params.toolCall;
  if (
    given === undefined ||
    (params.subject !== undefined && params.subject !== null && !subject.ok)
  ) {
    const { options: _options, ...shown } = params;
    const question = { kind: 'tool', call: serverTool('acp', 'permission', shown) } as const;
    return { question, toolCallId: null, statedReason: said, part: null };
  }
  const part = merge(given);
  const statedReason = said ?? part.title ?? null;
  return { question: questionOf(part), toolCallId: part.toolCallId, statedReason, part };
}

function questionOf(part: ToolCallPart): AcpQuestion {
  return commandIn(part.rawInput) ?? { kind: 'tool', call: callOf(part) };
}

/** A command wherever there is one: the agent's own word for the kind cannot hide it. */
function commandIn(input: unknown): AcpQuestion | null {
  const command = fieldOf(input, 'command');
  const folder = fieldOf(input, 'cwd') ?? fieldOf(input, 'workdir');
  const cwd = typeof folder === 'string' && folder.startsWith('/') ? folder : null;
  if (isWords(command)) return { kind: 'argv', argv: command, cwd };
  if (typeof command !== 'string' || command === '') return null;
  const args = fieldOf(input, 'args');
  if (isWords(args)) return { kind: 'argv', argv: [command, ...args], cwd };
  return { kind: 'command', command, cwd };
}

function isWords(value: unknown): value is readonly string[] {
  return (
    Array.isArray(value) && value.length > 0 && value.every((word) => typeof word === 'string')
  );
}

const edits = new Set(['edit', 'delete', 'move']);

function callOf(part: ToolCallPart): ToolCall {
  const { kind, rawInput } = part;
  const tool = nameOf(part);
  if (kind === 'fetch') {
    const url = fieldOf(rawInput, 'url');
    if (typeof url === 'string' && url !== '') return fetching(tool, url, part.title ?? null);
  }
  const diffs = diffsOf(part);
  if (edits.has(kind ?? '') || diffs.length > 0) {
    const [target, ...moreTargets] = pathsOf(part);
    if (target !== undefined) {
      const text = diffs.map((diff) => unifiedDiff(diff.path, diff.oldText ?? '', diff.newText));
      return {
        kind: 'edit',
        tool,
        target,
        ...(moreTargets.length > 0 && { moreTargets }),
        detail:
          text.length > 0
            ? { form: 'diff', text: text.join('\n') }
            : { form: 'input', text: JSON.stringify(rawInput ?? null, null, 2) },
      };
    }
  }
  const { content: _content, ...shown } = part;
  return serverTool('acp', tool, shown);
}

function diffsOf({ content }: ToolCallPart) {
  return (content ?? []).flatMap((each) => {
    const checked = checkDiff(each);
    return checked.ok ? [checked.value] : [];
  });
}

function pathsOf(part: ToolCallPart): readonly string[] {
  const located = (part.locations ?? []).flatMap((each) => {
    const checked = checkLocation(each);
    return checked.ok ? [checked.value.path] : [];
  });
  return [...new Set([...diffsOf(part).map(({ path }) => path), ...located])];
}

/** A word for the tool that can stand in a target: `acp/edit`. */
function nameOf({ name, kind }: ToolCallPart): string {
  const word = (name ?? kind ?? 'other').replaceAll(/[^\w.-]/g, '-').slice(0, 100);
  return word === '' ? 'other' : word;
}
