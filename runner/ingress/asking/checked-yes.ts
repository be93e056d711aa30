import type { PermitBody } from '../../../shared/api/types.ts';
import { refuse } from '../../../shared/refusal/refusal.ts';
import { compile } from '../../../shared/schema/compile.ts';

const check = compile<PermitBody>({
  type: 'object',
  required: ['ok', 'id', 'permission'],
  properties: {
    ok: { const: true },
    id: { type: 'string', minLength: 1 },
    permission: {
      type: 'object',
      required: ['code', 'by'],
      properties: {
        code: { type: 'string', minLength: 1 },
        by: { enum: ['policy', 'person', 'fallback'] },
      },
    },
    ticket: { type: 'string', pattern: '^[A-Za-z0-9_-]{43}$' },
    expiresAt: { type: 'integer', minimum: 0 },
  },
});

/** A yes of the gate that is whole; anything else is none. */
export function checkedYes(answer: unknown): PermitBody {
  const checked = check(answer);
  if (checked.ok) return checked.value;
  throw unclear(`The gate gave no clear answer: ${checked.error}`);
}

/** The ticket of a yes that has to have one. */
export function ticketOf(answer: unknown): string {
  const { ticket } = checkedYes(answer);
  if (ticket !== undefined) return ticket;
  throw unclear('The gate gave no ticket for the command.');
}

function unclear(sentence: string): Error {
  return refuse(
    'host-unavailable',
    sentence,
    'Nothing was allowed. Runner and command line may be of different versions: restart with "interlock up".',
  );
}
