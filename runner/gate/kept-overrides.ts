import { compile, readJson, refuse, s } from '../../shared/base/index.ts';
import { sessionOverrideSchema } from '../../shared/engine/index.ts';
import type { SessionOverride } from '../../shared/engine/index.ts';
import { readPrivateFile, writeFileAtomic } from '../../shared/home/index.ts';

/** What one session has also after the runner has started again. */
interface KeptOverride {
  readonly agent: string;
  readonly session: string;
  readonly values: SessionOverride;
}

/** Keeps them; only what a person said yes to, and nothing that was raised. */
export interface KeptOverrides {
  /** Throws `config-invalid` where they cannot be read: what they held back would run. */
  load(): readonly KeptOverride[];
  /** On the disk when it returns; throws `host-unavailable` where that cannot be done. */
  save(kept: readonly KeptOverride[]): void;
}

/** The most sessions of all agents together that keep something. */
const mostKept = 500;

const text = s.string({ minLength: 1, maxLength: 512 });
const check = compile(
  s.object({
    version: s.literal(1),
    sessions: s.array(s.object({ agent: text, session: text, values: sessionOverrideSchema }), {
      maxItems: mostKept,
    }),
  }),
);

const maxBytes = 1024 * 1024;

/** In a file of the home. */
export function keptOverrides({
  path,
  uid,
}: {
  readonly path: string;
  readonly uid: number;
}): KeptOverrides {
  const invalid = (why: string): Error =>
    refuse(
      'config-invalid',
      `What sessions have kept cannot be read: ${path} ${why}.`,
      'A person moves that file away; then nothing of it holds any more.',
    );
  return {
    load: () => {
      const file = readPrivateFile(path, { uid, maxBytes });
      if (file.kind === 'missing') return [];
      if (file.kind === 'unsafe') throw invalid(file.why);
      const read = readJson(check, file.text);
      if (!read.ok) throw invalid(`is not valid: ${read.error}`);
      return read.value.sessions;
    },
    save: (sessions) => {
      try {
        writeFileAtomic(path, `${JSON.stringify({ version: 1, sessions })}\n`);
      } catch (error) {
        throw refuse(
          'host-unavailable',
          `What the session keeps could not be written to ${path}. Nothing was changed.`,
          'Make room there, or mend its permissions, then try again.',
          { cause: error },
        );
      }
    },
  };
}

/** One name for one session of one agent. */
export function sessionKey(agent: string, session: string): string {
  return JSON.stringify([agent, session]);
}

/** What outlives the runner, by session. A file that cannot be read is what every question is told. */
export function keptSessions(file: KeptOverrides | undefined) {
  const kept = new Map<string, KeptOverride>();
  let problem: unknown = null;
  try {
    for (const one of file?.load() ?? []) kept.set(sessionKey(one.agent, one.session), one);
  } catch (error) {
    problem = error;
  }
  const write = (next: ReadonlyMap<string, KeptOverride>): void => {
    file?.save([...next.values()]);
    kept.clear();
    for (const [key, one] of next) kept.set(key, one);
  };
  return {
    all: () => [...kept.values()],
    has: (key: string): boolean => kept.has(key),
    check: (): void => {
      if (problem !== null) throw problem;
    },
    keep: (one: KeptOverride): void => {
      const next = new Map(kept).set(sessionKey(one.agent, one.session), one);
      if (next.size > mostKept)
        throw refuse(
          'rate-limit',
          'Too many sessions keep something.',
          'Take back what is not needed any more: "/exec off".',
        );
      write(next);
    },
    forget: (key: string): void => {
      if (!kept.has(key)) return;
      const next = new Map(kept);
      next.delete(key);
      write(next);
    },
  };
}
