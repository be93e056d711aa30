import type { HealthOptions } from '../../agents/index.ts';
import type { Config } from '../../engine/index.ts';
import type { HomePaths, OnPath, TokenState } from '../../home/index.ts';
import type { HealthCheck } from '../../wire/index.ts';

/** A file or directory of the home as it stands, with what others could do to it. */
export interface FoundFile {
  readonly path: string;
  readonly kind: 'directory' | 'file' | 'socket' | 'symlink' | 'other';
  readonly uid: number;
  /** Permission bits. */
  readonly mode: number;
}

/**
 * What is at a socket's path: nothing, a program that answers, or what one left behind; `foreign` where
 * somebody else than this user may be behind it.
 */
export type SocketState = 'absent' | 'live' | 'stale' | 'not-a-socket' | 'foreign';

/** Everything the checks look at; gathered once, judged purely. */
export interface HealthFacts {
  readonly paths: HomePaths;
  readonly platform: NodeJS.Platform;
  readonly uid: number;
  readonly nodeVersion: string;
  /** Null when there is no home yet. */
  readonly home: FoundFile | null;
  /** Everything below the home, at most 2,000 entries. */
  readonly files: readonly FoundFile[];
  readonly runnerSocket: SocketState;
  readonly approvalsSocket: SocketState;
  readonly policyProblem: string | null;
  /** Where the approvals token stands; a sentence where the secret store did not answer. */
  readonly token: TokenState | { readonly problem: string };
  /** Null when `config.json` is not valid. */
  readonly config: Config | null;
  readonly configProblem: string | null;
  /** Programs that look at asks, and what is wrong with their place; null where nothing is. */
  readonly advisors: readonly { readonly name: string; readonly problem: string | null }[];
  readonly stopMode: {
    readonly mode: 'armed' | 'paused' | 'locked';
    readonly reason: string | null;
  };
  readonly shell: { readonly path: string; readonly found: boolean };
  /** Null when the grammar loads and reads a command. */
  readonly grammarProblem: string | null;
  /** Null when the kernel names the peer of a Unix socket. */
  readonly peerProblem: string | null;
  /** What PATH has under our name. */
  readonly command: OnPath;
  readonly electronBinary: string | null;
  readonly hasDisplay: boolean;
  readonly secretStore: {
    /** What this home uses; null before anything was kept. */
    readonly chosen: 'keychain' | 'file' | null;
    /** True when keytar is installed and loads. */
    readonly keychainLoads: boolean;
  };
}

/** One judgement. Pure. */
export type Check = (facts: HealthFacts) => HealthCheck;

export type { HealthCheck, HealthOptions };

/** All is well. */
export function ok(id: string, title: string, detail = ''): HealthCheck {
  return { id, level: 'ok', title, detail, mendable: false };
}

/** Works, but a person should know. */
export function warning(id: string, title: string, detail: string): HealthCheck {
  return { id, level: 'warning', title, detail, mendable: false };
}

/** Does not work, or is not safe. */
export function danger(id: string, title: string, detail: string): HealthCheck {
  return { id, level: 'danger', title, detail, mendable: false };
}

/** The same, with an offer to put it right. */
export function mendable(check: HealthCheck): HealthCheck {
  return { ...check, mendable: true };
}
