import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isFields } from '../engine/index.ts';
import { hookOptions, hookProgramPath, hookWords } from './hook-command.ts';
import type { HookCommand } from './hook-command.ts';
import { toolGroups } from './hook-entries.ts';
import type { ToolGroup } from './hook-entries.ts';

/** What is filled into a plugin. */
export interface PluginPlan {
  readonly command: HookCommand;
  readonly tools: readonly ToolGroup[];
}

/** The one line of a plugin that the installer writes. */
const settingsLine = /^const settings = (\{.*\});$/mu;

/** The text of a plugin with its settings in it; `template` is the one that Interlock ships. */
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

const sharedPart = 'assets/agents/ask.js';
const importsIt = /^import \{[^}]*\} from '\.\.\/ask\.js';\n/mu;

/**
 * A plugin as it is installed, without its settings; `asset` is its path below the package. A host takes
 * one file, so what all plugins have in common is put in the place of the line that imports it.
 */
export function pluginTemplate(packageRoot: string, asset: string): string {
  const read = (path: string): string => readFileSync(join(packageRoot, path), 'utf8');
  const own = read(asset);
  if (!importsIt.test(own)) throw new Error(`${asset} has no place for what all plugins share`);
  const shared = read(sharedPart)
    .replace(/^(?:\/\/.*\n)+/u, '')
    .replaceAll(/^export /gmu, '');
  return own.replace(importsIt, () => shared);
}
