import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import type { Analysis, CommandRequest } from '../../shared/analysis/types.ts';
import { refuse } from '../../shared/refusal/refusal.ts';
import { fileIdentity } from './file-identity.ts';
import type { FileIdentity } from './file-identity.ts';
import { filesOf } from './files-of.ts';

/** What an approval covers, as it was when the question was put. */
export interface Binding {
  readonly host: string;
  readonly agent: string;
  readonly cwd: { readonly path: string; readonly device: string; readonly inode: string };
  /** Digests of the words and of the variables that were asked for. */
  readonly command: string;
  readonly environment: string;
  /** Digest of what the analysis made of it: programs found, their real paths, the rendering. */
  readonly plan: string;
  readonly files: readonly FileIdentity[];
}

export interface BindingSubject {
  readonly host: string;
  readonly agent: string;
  readonly request: CommandRequest;
  readonly analysis: Analysis;
  /** Whether contents are hashed too: needed where time passes before the start. */
  readonly hashed: boolean;
}

/** Takes down everything that must still be so when the command starts. */
export function bindingOf(subject: BindingSubject): Binding {
  const { host, agent, request, analysis, hashed } = subject;
  const directory = statSync(request.cwd, { bigint: true, throwIfNoEntry: false });
  return {
    host,
    agent,
    cwd: {
      path: request.cwd,
      device: String(directory?.dev ?? ''),
      inode: String(directory?.ino ?? ''),
    },
    command: digest(request.argv ?? request.command ?? ''),
    environment: digest(Object.entries(request.env ?? {}).toSorted(byName)),
    plan: digest(analysis),
    files: filesOf(analysis).map((file) => fileIdentity(file.path, hashed && file.hashed)),
  };
}

/** One digest of the whole binding: two commands with the same one are the same command. */
export function bindingDigest(binding: Binding): string {
  return digest(binding);
}

/** Throws `binding-drift`, with a sentence about the first difference. */
export function requireSame(approved: Binding, now: Binding): void {
  const what = driftOf(approved, now);
  if (what === null) return;
  throw refuse(
    'binding-drift',
    `${what} changed between the decision and the start.`,
    'Nothing was run. Look at what changed, then ask again.',
  );
}

function driftOf(approved: Binding, now: Binding): string | null {
  if (approved.host !== now.host || approved.agent !== now.agent) return 'The host or the agent';
  if (digest(approved.cwd) !== digest(now.cwd)) return `The directory ${approved.cwd.path}`;
  if (approved.command !== now.command) return 'The command';
  if (approved.environment !== now.environment) return 'The environment';
  for (const [index, file] of approved.files.entries())
    if (digest(file) !== digest(now.files[index] ?? null)) return `The file ${file.path}`;
  if (approved.plan !== now.plan || approved.files.length !== now.files.length)
    return 'What the command would run';
  return null;
}

function byName(a: readonly [string, string], b: readonly [string, string]): number {
  return a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0;
}

function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}
