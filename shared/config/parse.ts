import { refuse } from '../refusal/refusal.ts';
import type { Refusal } from '../refusal/refusal.ts';
import { compile } from '../schema/compile.ts';
import { defaultConfig } from './defaults.ts';
import { configSchema } from './schema.ts';
import type { Config } from './types.ts';

export type ParsedConfig =
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly problem: Refusal };

/** Longest text that is looked at, in characters. */
export const maxConfigLength = 1024 * 1024;

/** What the file may say: any part of the whole. */
export type ConfigFile = { readonly version: 1 } & {
  readonly [K in Exclude<keyof Config, 'version'>]?: Config[K] extends readonly unknown[]
    ? Config[K]
    : Partial<Config[K]>;
};

const check = compile<ConfigFile>(configSchema);

/** Reads the text of `config.json` and fills in the defaults. Unknown fields are refused. */
export function parseConfig(text: string): ParsedConfig {
  if (text.length > maxConfigLength)
    return invalid(`It is longer than ${maxConfigLength} characters.`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return invalid(`It is not valid JSON: ${(error as Error).message}.`);
  }
  const checked = check(value);
  if (!checked.ok) return invalid(checked.error);
  const config = completed(checked.value);
  if (config.exec.timeoutMs > config.exec.maxTimeoutMs) {
    return invalid('exec.timeoutMs is greater than exec.maxTimeoutMs.');
  }
  return { ok: true, config };
}

/** The file's settings over the defaults, section by section. */
export function completed(file: ConfigFile): Config {
  return {
    version: 1,
    exec: { ...defaultConfig.exec, ...file.exec },
    principals: { ...defaultConfig.principals, ...file.principals },
    limits: { ...defaultConfig.limits, ...file.limits },
    users: file.users ?? defaultConfig.users,
    agents: Object.fromEntries(
      Object.entries(file.agents ?? {}).map(([name, claim]) => [name, claim ?? {}]),
    ),
    approvals: { ...defaultConfig.approvals, ...file.approvals },
    audit: { ...defaultConfig.audit, ...file.audit },
    ui: { ...defaultConfig.ui, ...file.ui },
    lockout: { ...defaultConfig.lockout, ...file.lockout },
    openclaw: { ...defaultConfig.openclaw, ...file.openclaw },
    service: { ...defaultConfig.service, ...file.service },
  };
}

function invalid(why: string): ParsedConfig {
  const hint = 'Mend config.json, or move it away to use the defaults. Nothing runs until then.';
  return {
    ok: false,
    problem: refuse('config-invalid', `config.json is not valid: ${why}`, hint).refusal,
  };
}
