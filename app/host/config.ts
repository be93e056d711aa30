import { defaultConfig } from '../../shared/config/defaults.ts';
import { parseConfig } from '../../shared/config/parse.ts';
import type { Config } from '../../shared/config/types.ts';
import { readPrivateFile } from '../../shared/node/files/private-file.ts';

const largestConfig = 1024 * 1024;

/**
 * What `config.json` says, or the defaults when there is none. A file that cannot be trusted yields
 * the defaults with everything optional turned off; Health says what is wrong with it.
 */
export function readConfig(path: string, options: { readonly uid: number }): Config {
  const file = readPrivateFile(path, { ...options, maxBytes: largestConfig });
  if (file.kind === 'missing') return defaultConfig;
  const parsed = file.kind === 'text' ? parseConfig(file.text) : null;
  if (parsed?.ok === true) return parsed.config;
  return { ...defaultConfig, approvals: { ...defaultConfig.approvals, v1: false } };
}
