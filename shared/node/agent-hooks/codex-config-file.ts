import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCodexConfig } from '../../agent-hooks/codex-config.ts';
import type { CodexConfig } from '../../agent-hooks/codex-config.ts';
import { personalFolder } from './places.ts';
import type { Surroundings } from './places.ts';

/** The person's `config.toml` of Codex; null where it cannot be read. */
export function codexConfig(env: Surroundings['env']): CodexConfig | null {
  const path = join(personalFolder('codex', env), 'config.toml');
  try {
    return readCodexConfig(existsSync(path) ? readFileSync(path, 'utf8') : '');
  } catch {
    return null;
  }
}
