import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isFields } from '../../engine/index.ts';
import { hookOptions, hookProgramPath, hookWords } from '../hook-command.ts';
import type { HookCommand } from '../hook-command.ts';
import { toolGroups } from '../hook-entries.ts';
import type { ToolGroup } from '../hook-entries.ts';
import { answering, fieldOf, say, withCommand } from '../words.ts';

/** The words of our plugin: it throws at everything but these, and at no words at all. */
export const answer = answering({
  runInstead: (command, input) =>
    withCommand(fieldOf(input, 'args'), command) === null
      ? null
      : say({ decision: 'run', command }),
  allowed: say({ decision: 'allow' }),
  notGated: say({ decision: 'allow' }),
  refused: (reason) => say({ decision: 'deny', reason }),
});

/** What is filled into the plugin for OpenCode. */
export interface PluginPlan {
  readonly command: HookCommand;
  readonly tools: readonly ToolGroup[];
}

/** The one line of the plugin that the installer writes. */
const settingsLine = /^const settings = (\{.*\});$/mu;

/** The text of the plugin with its settings in it; `template` is the one that Interlock ships. */
export function pluginText(template: string, { command, tools }: PluginPlan): string {
  const settings = JSON.stringify({ command: hookWords(command), tools });
  const filled = template.replace(settingsLine, () => `const settings = ${settings};`);
  if (!settingsLine.test(template)) throw new Error('the plugin has no place for its settings');
  return filled;
}

/** The plan in the text of a plugin, or null where it is not one of ours. */
export function readPlugin(text: string): PluginPlan | null {
  const line = settingsLine.exec(text)?.[1];
  const settings = line === undefined ? null : parsed(line);
  if (!isFields(settings)) return null;
  const { command, tools } = settings;
  if (!isWords(command) || !isWords(tools)) return null;
  const [node, program, ...args] = command;
  const options = hookOptions(args);
  if (node === undefined || program?.endsWith(`/${hookProgramPath}`) !== true || options === null)
    return null;
  return {
    command: { node, program, ...options },
    tools: toolGroups.filter((group) => tools.includes(group)),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isWords(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((word) => typeof word === 'string');
}

/** The plugin for OpenCode as it is shipped, without its settings. */
export function pluginTemplate(packageRoot: string): string {
  return readFileSync(join(packageRoot, 'assets', 'agents', 'opencode', 'interlock.js'), 'utf8');
}
