import { refusalCodes } from '../../refusal/codes.ts';
import type { RefusalCode } from '../../refusal/codes.ts';
import { refuse } from '../../refusal/refusal.ts';
import type { RefusalError } from '../../refusal/refusal.ts';

/** The refusal inside an error answer; an answer that names none counts as `invalid-request`. */
export function refusalFrom(value: unknown, status: number): RefusalError {
  const refusal = (value as { refusal?: unknown } | null)?.refusal as
    { code?: unknown; message?: unknown; hint?: unknown } | null | undefined;
  const known = refusalCodes.find((code): code is RefusalCode => code === refusal?.code);
  if (known === undefined)
    return refuse(
      'invalid-request',
      `The runner answered with status ${String(status)} and no reason.`,
      'Runner and command line may be of different versions: restart with "interlock up".',
    );
  return refuse(known, textOf(refusal?.message), textOf(refusal?.hint));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
