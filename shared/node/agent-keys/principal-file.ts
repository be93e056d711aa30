import { writeFileAtomic } from '../files/atomic-write.ts';
import { readPrivateFile } from '../files/private-file.ts';
import { refuse } from '../../refusal/refusal.ts';
import { compile } from '../../schema/compile.ts';
import type { PrincipalFile } from './types.ts';

const maxBytes = 256 * 1024;

const check = compile<PrincipalFile>({
  type: 'object',
  additionalProperties: false,
  required: ['version', 'agents'],
  properties: {
    version: { const: 1 },
    agents: {
      type: 'object',
      propertyNames: { pattern: '^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$' },
      additionalProperties: {
        type: 'object',
        additionalProperties: false,
        required: ['createdAt', 'keyedAt'],
        properties: { createdAt: { type: 'number' }, keyedAt: { type: ['number', 'null'] } },
      },
    },
  },
});

/** Reads `keys/agents.json`; an absent file has no agents, a doubtful one is `config-invalid`. */
export function readPrincipalFile(path: string, uid: number): PrincipalFile {
  const file = readPrivateFile(path, { uid, maxBytes });
  if (file.kind === 'missing') return { version: 1, agents: {} };
  if (file.kind === 'unsafe') return unreadable(path, file.why);
  const checked = check(parseJson(file.text));
  return checked.ok ? checked.value : unreadable(path, `is not valid: ${checked.error}`);
}

/** Replaces the file whole and durably. */
export function writePrincipalFile(path: string, file: PrincipalFile): void {
  writeFileAtomic(path, `${JSON.stringify(file, null, 2)}\n`);
}

function unreadable(path: string, why: string): never {
  throw refuse(
    'config-invalid',
    `${path} ${why}.`,
    'Mend it or restore it from a backup; until then no agent is known by its key.',
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
