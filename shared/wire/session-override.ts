import type { ElevationEntry, SessionOverride } from '../engine/index.ts';

/** What a session has other than its agent, as it is told. */

/** A value, and the place that says it. */
interface SaidValue<T> {
  readonly value: T;
  readonly setting: string;
}

/** The answer of `POST /v1/sessions/override`: what holds for the session now. */
export interface SessionOverrideBody {
  readonly ok: true;
  readonly agent: string;
  readonly session: string;
  /** Null where what was chosen cannot be had any more. */
  readonly host: SaidValue<string> | null;
  readonly node: SaidValue<string | null> | null;
  readonly security: SaidValue<string>;
  readonly ask: SaidValue<string>;
  readonly elevation: Pick<ElevationEntry, 'id' | 'as' | 'expiresAt'> | null;
  /** What was set for the session, and what it was raised to: the values above have them in them. */
  readonly own: SessionOverride;
  readonly raised: SessionOverride;
  /** Whether something of it outlives the runner. */
  readonly kept: boolean;
}

/** The same for a person, a line each. */
export function sessionLines(body: SessionOverrideBody, now: number): readonly string[] {
  const { agent, session, host, node, security, ask, elevation, kept } = body;
  const line = (name: string, said: SaidValue<string | null> | null): string =>
    said === null
      ? `${name.padEnd(9)} what was chosen cannot be had: commands are refused`
      : `${name.padEnd(9)} ${said.value ?? 'none'} (${said.setting})`;
  return [
    `${agent}, session ${session}`,
    line('host', host),
    ...(node === null || node.value === null ? [] : [line('node', node)]),
    line('security', security),
    line('ask', ask),
    ...(kept ? ['kept      also after a restart'] : []),
    ...(elevation === null
      ? []
      : [
          `raised    ${elevation.as}, ${String(Math.max(1, Math.ceil((elevation.expiresAt - now) / 60_000)))} min left`,
        ]),
  ];
}
