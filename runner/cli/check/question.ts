import { checkRequestSchema } from '../../../shared/api/schemas.ts';
import { refuse } from '../../../shared/refusal/refusal.ts';
import type { Refusal } from '../../../shared/refusal/refusal.ts';
import { compile } from '../../../shared/schema/compile.ts';
import type { Line } from './lines.ts';
import type { Question } from './judge.ts';

/** Longest line of a batch, in bytes; the text of a command is held to less by its schema. */
export const lineLimit = 4 * 1024 * 1024;

const { argv, command, agent, env } = checkRequestSchema.properties;

const check = compile<Question>({
  type: 'object',
  additionalProperties: false,
  properties: {
    id: { type: ['string', 'number'], maxLength: 256 },
    argv,
    command,
    agent,
    env,
    cwd: { type: 'string', minLength: 1, maxLength: 4096, pattern: '^[^\\u0000]*$' },
  },
});

export type ParsedQuestion =
  | { readonly ok: true; readonly question: Question }
  | { readonly ok: false; readonly id?: string | number; readonly problem: Refusal };

/** Reads one line of a batch. A line that makes no sense becomes a problem, never an exception. */
export function parseQuestion(line: Line): ParsedQuestion {
  if (line === null) return broken(`The line is longer than ${String(lineLimit)} bytes.`);
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(line));
  } catch {
    return broken('The line is not a JSON object in UTF-8.');
  }
  const id = idOf(value);
  const checked = check(value);
  if (!checked.ok) return broken(checked.error, id);
  if ((checked.value.argv === undefined) === (checked.value.command === undefined))
    return broken('A line holds exactly one of "command" and "argv".', id);
  return { ok: true, question: checked.value };
}

function idOf(value: unknown): string | number | undefined {
  const id = (value as { id?: unknown } | null)?.id;
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}

function broken(message: string, id?: string | number): ParsedQuestion {
  const hint =
    'Write lines like {"id": 1, "command": "git status", "cwd": "/tmp", "agent": "claude"}.';
  const { refusal: problem } = refuse('invalid-request', message, hint);
  return id === undefined ? { ok: false, problem } : { ok: false, id, problem };
}
