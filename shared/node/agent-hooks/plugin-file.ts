import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The plugin for OpenCode as it is shipped, without its settings. */
export function pluginTemplate(packageRoot: string): string {
  return readFileSync(join(packageRoot, 'assets', 'agents', 'opencode', 'interlock.js'), 'utf8');
}
