import { parse } from 'smol-toml';
import { isFields } from '../policy/legacy.ts';
import { fieldsOf } from './find.ts';

/** What of Codex' `config.toml` matters for hooks. Read only: that file is never written to. */
export interface CodexConfig {
  /** False where hooks are turned off as a whole. */
  readonly hooks: boolean;
  readonly approvalPolicy: string | null;
  readonly sandboxMode: string | null;
  /** Whether commands in its sandbox may connect to anything, a socket of the runner included. */
  readonly connects: boolean;
  /** By the key of the hook: whether it is on, and the hash that the person trusted. */
  readonly states: ReadonlyMap<string, HookState>;
}

export interface HookState {
  readonly enabled: boolean;
  readonly trustedHash: string | null;
}

/** Null for text that is no TOML. An empty text means all defaults. */
export function readCodexConfig(text: string): CodexConfig | null {
  const config = parsed(text);
  if (config === null) return null;
  const sandboxMode = textOf(config['sandbox_mode']);
  const workspace = fieldsOf(config['sandbox_workspace_write']);
  return {
    hooks: fieldsOf(config['features'])['hooks'] !== false,
    approvalPolicy: textOf(config['approval_policy']),
    sandboxMode,
    connects:
      sandboxMode === 'danger-full-access' ||
      (sandboxMode === 'workspace-write' && workspace['network_access'] === true),
    states: new Map(
      Object.entries(fieldsOf(fieldsOf(config['hooks'])['state'])).map(([key, value]) => {
        const state = fieldsOf(value);
        const trustedHash = textOf(state['trusted_hash']);
        return [key, { enabled: state['enabled'] !== false, trustedHash }];
      }),
    ),
  };
}

function parsed(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = parse(text);
    return isFields(value) ? value : null;
  } catch {
    return null;
  }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
