import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { AgentHost } from '../../../shared/agents/list.ts';
import type { HookEvent, HookOutcome } from '../../../shared/wire/agent-host.ts';

/** One call of a hook: what the host wrote, what it means, and what the host has to be told. */
export interface Fixture {
  readonly about: string;
  readonly stdin: unknown;
  readonly event?: HookEvent;
  /** A part of the sentence, where the input is not understood. */
  readonly refused?: string;
  readonly answers?: readonly {
    readonly outcome: HookOutcome;
    /** The JSON on standard output, or nothing at all. */
    readonly stdout: unknown;
    /** Words on standard error, with which the host is told by the status; none and 0 where absent. */
    readonly stderr?: string;
    readonly exitCode?: number;
  }[];
}

const folder = fileURLToPath(new URL('../../fixtures/adapters/', import.meta.url));

/** The fixtures of a host, by the name of their file. */
export function fixturesOf(host: AgentHost): readonly (readonly [string, Fixture])[] {
  return readdirSync(`${folder}${host}`).map((name) => [
    name,
    JSON.parse(readFileSync(`${folder}${host}/${name}`, 'utf8')) as Fixture,
  ]);
}
