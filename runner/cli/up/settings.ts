import { existsSync, readFileSync } from 'node:fs';
import { defaultConfig } from '../../../shared/config/defaults.ts';
import { parseConfig } from '../../../shared/config/parse.ts';
import type { Config } from '../../../shared/config/types.ts';
import type { HomePaths } from '../../../shared/node/home/paths.ts';

/** The part of `config.json` about user interfaces; the defaults where the file is absent or wrong. */
export function uiSettings(paths: HomePaths): Config['ui'] {
  if (!existsSync(paths.config)) return defaultConfig.ui;
  const parsed = parseConfig(readFileSync(paths.config, 'utf8'));
  return parsed.ok ? parsed.config.ui : defaultConfig.ui;
}
