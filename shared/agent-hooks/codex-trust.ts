import { sha256 } from '../digest/sha256.ts';
import type { CodexConfig } from './codex-config.ts';
import type { FoundHook } from './find.ts';

/** Whether Codex starts a hook; a hook that it does not start is skipped in silence. */
export type CodexTrust = 'trusted' | 'changed' | 'untrusted' | 'off';

const labels: Readonly<Record<string, string>> = {
  PreToolUse: 'pre_tool_use',
  SessionEnd: 'session_end',
};

/** What Codex makes of a hook in the file at one of these paths, as of 0.169. */
export function codexTrust(
  hook: FoundHook,
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
export function codexHash(hook: FoundHook): string {
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

function labelOf({ event }: FoundHook): string {
  return labels[event] ?? event;
}
