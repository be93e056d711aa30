import type { HookAnswer, HookOutcome, HostAdapter } from '../wire/index.ts';

/** How one host says what the gate can answer. */
interface HostWords {
  /** With this command in the place of the one in `input`; null where `input` has none. */
  runInstead(command: string, input: unknown): HookAnswer | null;
  /** The host may do it itself; `silence` where the host has no word for it. */
  readonly allowed: HookAnswer;
  /** The host's own rules decide; `silence` where it takes that as such. */
  readonly notGated: HookAnswer;
  /** `text` is never empty. */
  refused(text: string): HookAnswer;
  /** Keeps a prompt from the agent, with a text for who typed it; absent: the host tells of no prompts. */
  answered?(text: string): HookAnswer;
}

/** Nothing to say: the host goes on by its own rules. */
export const silence: HookAnswer = { stdout: '', stderr: '', exitCode: 0 };

/** One JSON object on one line, and an end without error. */
export function say(words: unknown): HookAnswer {
  return { stdout: `${JSON.stringify(words)}\n`, stderr: '', exitCode: 0 };
}

/** The answers of a host that has these words. What cannot be said as it was meant is a refusal. */
export function answering(words: HostWords): HostAdapter['answer'] {
  return (outcome, input) => {
    if (outcome.kind === 'not-gated') return words.notGated;
    if (outcome.kind === 'allowed') return words.allowed;
    if (outcome.kind === 'run-instead')
      return words.runInstead(outcome.command, input) ?? words.refused(nothingToReplace);
    if (outcome.kind === 'answered')
      return words.answered?.(outcome.text) ?? words.refused(outcome.text);
    return words.refused(reasonOf(outcome));
  };
}

/** Keeps a prompt from the agent, in the form that Claude Code made and others took over. */
export function promptAnswered(reason: string): HookAnswer {
  return say({ decision: 'block', reason });
}

/** An input of a tool with another command in it; null where it has none. */
export function withCommand(toolInput: unknown, command: string): object | null {
  return isObject(toolInput) && typeof toolInput['command'] === 'string'
    ? { ...toolInput, command }
    : null;
}

/** The field of an untrusted value; undefined where there is none. */
export function fieldOf(value: unknown, field: string): unknown {
  return isObject(value) && Object.hasOwn(value, field) ? value[field] : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Some hosts ignore a refusal without a reason, so there always is one. */
function reasonOf({ text }: Extract<HookOutcome, { kind: 'refused' }>): string {
  return text.trim() === '' ? 'Interlock refused this.' : text;
}

const nothingToReplace =
  'Interlock allowed this command, but the call has none that could be replaced. Nothing ran.';

/** The answer to `PreToolUse`, in the form that Claude Code made and Codex took over. */
export function preToolUse(permissionDecision: 'allow' | 'deny', more: object = {}): HookAnswer {
  return say({
    hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision, ...more },
  });
}

/** Runs another command in that form: the whole input of the tool, with its other fields as they came. */
export function runInstead(command: string, input: unknown): HookAnswer | null {
  const updatedInput = withCommand(fieldOf(input, 'tool_input'), command);
  return updatedInput === null ? null : preToolUse('allow', { updatedInput });
}

/** The words of the plugins that Interlock ships: they refuse at everything but these, and at no words. */
export const pluginAnswer = answering({
  runInstead: (command, input) =>
    withCommand(fieldOf(input, 'args'), command) === null
      ? null
      : say({ decision: 'run', command }),
  allowed: say({ decision: 'allow' }),
  notGated: say({ decision: 'allow' }),
  refused: (reason) => say({ decision: 'deny', reason }),
});
