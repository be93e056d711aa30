import { maxArgvLength, maxCommandLength } from '../../../shared/api/limits.ts';
import { refusalCodes } from '../../../shared/refusal/codes.ts';
import { toolSchema } from './schema.ts';

/** What an agent gives the tool `exec`. */
export interface ExecInput {
  readonly command?: string;
  readonly argv?: readonly string[];
  readonly cwd?: string;
  readonly timeoutMs?: number;
  readonly reason?: string;
}

export const execInput = toolSchema<ExecInput>({
  type: 'object',
  additionalProperties: false,
  properties: {
    command: {
      type: 'string',
      minLength: 1,
      maxLength: maxCommandLength,
      description: 'Shell text. Give this or argv, not both.',
    },
    argv: {
      type: 'array',
      minItems: 1,
      maxItems: maxArgvLength,
      items: { type: 'string', maxLength: maxCommandLength },
      description: 'Program and arguments, run without a shell.',
    },
    cwd: {
      type: 'string',
      maxLength: 4096,
      description: 'Working folder; relative to the folder the server was started in.',
    },
    timeoutMs: { type: 'integer', minimum: 1, maximum: 86_400_000 },
    reason: {
      type: 'string',
      maxLength: 4096,
      description: 'Why you want to run it. A person who is asked gets to read it.',
    },
  },
});

/** What the tool `exec` hands back beside its text: a result, or a refusal. */
export type ExecOutput =
  | {
      readonly exitCode: number | null;
      readonly signal: string | null;
      readonly stdout: string;
      readonly stderr: string;
      readonly truncated: boolean;
      readonly durationMs: number;
    }
  | {
      readonly refusal: { readonly code: string; readonly message: string; readonly hint: string };
    };

const text = { type: 'string' } as const;

export const execOutput = toolSchema<ExecOutput>({
  type: 'object',
  properties: {
    exitCode: { type: ['integer', 'null'], description: 'Null when a signal ended it.' },
    signal: { type: ['string', 'null'] },
    stdout: text,
    stderr: text,
    truncated: { type: 'boolean', description: 'The output was longer than what is kept.' },
    durationMs: { type: 'number' },
    refusal: {
      type: 'object',
      required: ['code', 'message', 'hint'],
      properties: { code: { enum: refusalCodes }, message: text, hint: text },
    },
  },
});
