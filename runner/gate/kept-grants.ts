import { compile, readJson, s } from '../../shared/base/index.ts';
import type { Static } from '../../shared/base/index.ts';
import { ruleSchema } from '../../shared/engine/index.ts';
import { readPrivateFile, writeFileAtomic } from '../../shared/home/index.ts';
import type { Grant } from './grants.ts';

const text = s.string({ minLength: 1, maxLength: 512 });
const moment = s.integer({ minimum: 0 });

const keptSchema = s.object({
  version: s.literal(1),
  grants: s.array(
    s.object({
      agent: text,
      /** When the person said yes, and until when that holds; milliseconds since the epoch. */
      grantedAt: moment,
      expiresAt: moment,
      covers: s.union(
        s.object({ kind: s.literal('rules'), rules: s.array(ruleSchema, { maxItems: 1_000 }) }),
        s.object({ kind: s.literal('command'), digest: s.string({ pattern: '^[0-9a-f]{64}$' }) }),
      ),
    }),
    { maxItems: 500 },
  ),
});
type Kept = Static<typeof keptSchema>;
const check = compile(keptSchema);

const maxBytes = 8 * 1024 * 1024;

/** The longest that a person grants anything for which outlives a restart, in milliseconds. */
export const longestKeptMs = 15 * 60_000;

interface KeptGrantsOptions {
  readonly path: string;
  readonly uid: number;
  readonly now: () => number;
  /** Told where the file is not ours alone, or cannot be read or written: nothing is granted then. */
  readonly problem: (sentence: string) => void;
}

/** Grants that end by the clock, beside the policy and kept as the policy is: they outlive a restart. */
export interface KeptGrants {
  load(): readonly Grant[];
  save(grants: readonly Grant[]): void;
}

/** Grants for a session or until the restart are not kept: they end with what they were given for. */
export function keptGrants({ path, uid, now, problem }: KeptGrantsOptions): KeptGrants {
  return {
    load: () => {
      const file = readPrivateFile(path, { uid, maxBytes });
      if (file.kind === 'missing') return [];
      if (file.kind === 'unsafe') {
        problem(`What was granted for a while is forgotten: ${path} ${file.why}.`);
        return [];
      }
      const read = readJson(check, file.text);
      if (!read.ok) {
        problem(`What was granted for a while is forgotten: ${path}: ${read.error}`);
        return [];
      }
      return read.value.grants.flatMap((one) => (isRunning(one, now()) ? [grantOf(one)] : []));
    },
    save: (grants) => {
      const kept = grants.flatMap(({ agent, session, expiresAt, grantedAt, covers }) =>
        session !== null || expiresAt === null
          ? []
          : [{ agent, grantedAt, expiresAt, covers: withoutCommand(covers) }],
      );
      try {
        writeFileAtomic(path, `${JSON.stringify({ version: 1, grants: kept })}\n`);
      } catch (error) {
        problem(`What was granted for a while ends with the runner: ${String(error)}`);
      }
    },
  };
}

/** What a command says stays out of the file: it may hold a secret. */
function withoutCommand(covers: Grant['covers']): Kept['grants'][number]['covers'] {
  return covers.kind === 'rules'
    ? { ...covers, rules: [...covers.rules] }
    : { kind: 'command', digest: covers.digest };
}

/** A clock that was set back, or a file that was made by hand, grants nothing longer than a person can. */
function isRunning({ grantedAt, expiresAt }: Kept['grants'][number], now: number): boolean {
  return grantedAt <= now && now < expiresAt && expiresAt - grantedAt <= longestKeptMs;
}

function grantOf({ agent, grantedAt, expiresAt, covers }: Kept['grants'][number]): Grant {
  return { agent, session: null, grantedAt, expiresAt, covers };
}
