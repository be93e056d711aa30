import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'smol-toml';
import { sha256 } from '../../base/index.ts';
import { isFields } from '../../engine/index.ts';
import { homeFolder } from '../host.ts';
import type { Env, HookReview } from '../host.ts';
import { fieldsOf } from '../hook-entries.ts';
import { isDecideOnly } from '../hook-entries.ts';
import type { HookPlace } from '../hook-entries.ts';
import { codexFormat } from './hook.ts';

/** What of Codex' `config.toml` matters for hooks. Read only: that file is never written to. */
interface CodexConfig {
  /** False where hooks are turned off as a whole. */
  readonly hooks: boolean;
  readonly approvalPolicy: string | null;
  readonly sandboxMode: string | null;
  /** Whether commands in its sandbox may connect to anything, a socket of the runner included. */
  readonly connects: boolean;
  /** By the key of the hook: whether it is on, and the hash that the person trusted. */
  readonly states: ReadonlyMap<string, HookState>;
}

interface HookState {
  readonly enabled: boolean;
  readonly trustedHash: string | null;
}

/** Null for text that is not TOML. An empty text means all defaults. */
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

/** Where Codex keeps what holds for the person. */
export function codexFolder(env: Env): string {
  return homeFolder(env, '.codex', 'CODEX_HOME');
}

export function codexConfigFile(env: Env): string {
  return join(codexFolder(env), 'config.toml');
}

/** The person's `config.toml` of Codex; null where it cannot be read. */
export function codexConfig(env: Env): CodexConfig | null {
  const path = codexConfigFile(env);
  try {
    return readCodexConfig(existsSync(path) ? readFileSync(path, 'utf8') : '');
  } catch {
    return null;
  }
}

/** Whether Codex starts a hook; a hook that it does not start is skipped in silence. */
type CodexTrust = 'trusted' | 'changed' | 'untrusted' | 'off';

const labels: Readonly<Record<string, string>> = {
  PreToolUse: 'pre_tool_use',
  SessionEnd: 'session_end',
  UserPromptSubmit: 'user_prompt_submit',
};

/** What Codex makes of a hook in the file at one of these paths, as of 0.169. */
export function codexTrust(
  hook: HookPlace,
  { states }: Pick<CodexConfig, 'states'>,
  paths: readonly string[],
): CodexTrust {
  const place = `${labelOf(hook)}:${String(hook.index)}:${String(hook.handler ?? 0)}`;
  const state = paths
    .map((path) => states.get(`${path}:${place}`))
    .find((one) => one !== undefined);
  if (state?.enabled === false) return 'off';
  const hash = state?.trustedHash ?? null;
  if (hash === null) return 'untrusted';
  return hash === codexHash(hook) ? 'trusted' : 'changed';
}

/**
 * The hash by which Codex knows a hook: of its event, matcher and handler as JSON with sorted keys.
 * It is what `hooks/list` of 0.169 shows as `currentHash`.
 */
export function codexHash(hook: HookPlace): string {
  const { command, timeout, async = false, statusMessage } = hook.fields;
  const handler = {
    async,
    command,
    ...(statusMessage === undefined ? {} : { statusMessage }),
    timeout: timeout ?? 600,
    type: 'command',
  };
  const { matcher } = hook.entry;
  const identity = {
    event_name: labelOf(hook),
    hooks: [handler],
    ...(matcher === undefined ? {} : { matcher }),
  };
  return `sha256:${sha256(JSON.stringify(identity))}`;
}

function labelOf({ event }: HookPlace): string {
  return labels[event] ?? event;
}

/**
 * What Codex' own settings take away from the gate, as sentences. Null: they cannot be read. With
 * `decideOnly` Codex runs what is allowed itself, so nothing in its sandbox has to reach the runner.
 */
export function codexObjections(config: CodexConfig | null, decideOnly = false): readonly string[] {
  if (config === null)
    return ['Its config.toml cannot be read, so it is not known what it allows.'];
  const { hooks, approvalPolicy, sandboxMode, connects } = config;
  return [
    ...(hooks ? [] : ['Hooks are turned off in its config.toml ([features] hooks = false).']),
    ...(approvalPolicy === 'never'
      ? [
          'It asks nothing itself (approval_policy = "never"): where a hook fails, nothing else asks.',
        ]
      : []),
    ...(sandboxMode === 'danger-full-access'
      ? ['It has no sandbox (danger-full-access): where a hook fails, nothing else holds it.']
      : []),
    ...(connects || decideOnly
      ? []
      : [
          'In its sandbox a command cannot reach the runner, so what is allowed fails instead of running. ' +
            'Set sandbox_mode = "workspace-write", and network_access = true below [sandbox_workspace_write].',
        ]),
  ];
}

const trustSentences: Readonly<Record<Exclude<CodexTrust, 'trusted'>, string>> = {
  untrusted: 'Codex skips the hook in silence until you trust it: enter /hooks there.',
  changed:
    'Codex skips the hook in silence, because it has changed since you trusted it: enter /hooks there.',
  off: 'The hook is turned off in Codex: enter /hooks there.',
};

/** What Codex makes of the hooks in its file: it starts only those that the person has trusted. */
export function reviewCodex(
  found: readonly HookPlace[],
  { env, path }: { readonly env: Env; readonly path: string },
): HookReview {
  const config = codexConfig(env);
  const paths = existsSync(path) ? [path, realpathSync(path)] : [path];
  const trusts = found
    .filter(({ event }) => codexFormat.gates.includes(event))
    .map((hook) => (config === null ? 'untrusted' : codexTrust(hook, config, paths)));
  const sentences = trusts.flatMap((trust) => (trust === 'trusted' ? [] : trustSentences[trust]));
  return {
    broken: [...new Set(sentences)],
    remarks: codexObjections(config, found.every(isDecideOnly)),
  };
}
