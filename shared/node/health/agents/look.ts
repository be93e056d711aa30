import { existsSync, realpathSync } from 'node:fs';
import { hookProgramPath } from '../../../adapters/hook-command.ts';
import type { HookCommand } from '../../../adapters/hook-command.ts';
import type { AgentHost } from '../../../adapters/types.ts';
import { codexObjections } from '../../../agent-hooks/codex-advice.ts';
import { codexTrust } from '../../../agent-hooks/codex-trust.ts';
import type { CodexTrust } from '../../../agent-hooks/codex-trust.ts';
import { findHooks } from '../../../agent-hooks/find.ts';
import type { FoundHook } from '../../../agent-hooks/find.ts';
import { hookFormats } from '../../../agent-hooks/formats.ts';
import { parseObject, UnfitText } from '../../../agent-hooks/json-text.ts';
import { pluginText, readPlugin } from '../../../agent-hooks/plugin.ts';
import { reviewHooks } from '../../../agent-hooks/review.ts';
import { codexConfig } from '../../agent-hooks/codex-config-file.ts';
import { pluginTemplate } from '../../agent-hooks/plugin-file.ts';
import type { HealthOptions } from '../types.ts';

/** A hook of ours, and what is to be said about it. */
export interface LookedAt {
  /** Null where the settings cannot be read any more. */
  readonly command: HookCommand | null;
  readonly broken: readonly string[];
  readonly remarks: readonly string[];
}

type Where = Pick<HealthOptions, 'env' | 'packageRoot'> & { readonly path: string };

/** What a host's settings make of our hook; null where there is none in them. */
export function lookAtHooks(host: AgentHost, text: string | null, where: Where): LookedAt | null {
  if (text === null || !text.includes(hookProgramPath)) return null;
  if (host === 'opencode') return lookAtPlugin(text, where);
  try {
    return lookAtSettings(host, text, where);
  } catch (error) {
    if (!(error instanceof UnfitText)) throw error;
    const sentence = `It starts no hook, because ${where.path} ${error.message}.`;
    return { command: null, broken: [sentence], remarks: [] };
  }
}

function lookAtSettings(
  host: Exclude<AgentHost, 'opencode'>,
  text: string,
  where: Where,
): LookedAt | null {
  const format = hookFormats[host];
  const settings = parseObject(text, format);
  const found = findHooks(settings);
  const [first] = found;
  if (first === undefined) return null;
  const broken = reviewHooks(found, settings, format);
  const codex = host === 'codex' ? lookAtCodex(found, where) : { broken: [], remarks: [] };
  return {
    command: first.command,
    broken: [...broken, ...codex.broken],
    remarks: codex.remarks,
  };
}

function lookAtPlugin(text: string, { packageRoot }: Where): LookedAt | null {
  const plan = readPlugin(text);
  if (plan === null) return null;
  const isWhole = pluginText(pluginTemplate(packageRoot), plan) === text;
  const broken = isWhole ? [] : ['The plugin is not the one that this Interlock ships.'];
  return { command: plan.command, broken, remarks: [] };
}

const trustSentences: Readonly<Record<Exclude<CodexTrust, 'trusted'>, string>> = {
  untrusted: 'Codex skips the hook in silence until you trust it: enter /hooks there.',
  changed:
    'Codex skips the hook in silence, because it has changed since you trusted it: enter /hooks there.',
  off: 'The hook is turned off in Codex: enter /hooks there.',
};

function lookAtCodex(
  found: readonly FoundHook[],
  { env, path }: Where,
): Pick<LookedAt, 'broken' | 'remarks'> {
  const config = codexConfig(env);
  const paths = existsSync(path) ? [path, realpathSync(path)] : [path];
  const trusts = found
    .filter(({ event }) => hookFormats.codex.gates.includes(event))
    .map((hook) => (config === null ? 'untrusted' : codexTrust(hook, config, paths)));
  const sentences = trusts.flatMap((trust) => (trust === 'trusted' ? [] : trustSentences[trust]));
  return { broken: [...new Set(sentences)], remarks: codexObjections(config) };
}
