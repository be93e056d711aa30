import { parse } from 'smol-toml';
import { isFields } from '../../engine/index.ts';
import type { ManagedText } from '../host.ts';
import type { Fields, HookPlan } from '../hook-entries.ts';
import { codexFormat } from './hook.ts';

const begin = '# interlock: begin. "interlock uninstall codex --managed" takes these lines out.\n';
const end = '# interlock: end\n';

/** Keeps hooks on, and those of others out. */
export const requirementLock = { allow_managed_hooks_only: true, features: { hooks: true } };

/**
 * `requirements.toml` of Codex 0.169: what it says no project, no person and no `-c` of the command
 * line overrides, and its hooks need no trust. Our lines stand first, since keys behind a table would
 * belong to it. Where the file says something about hooks or features already, it is not TOML any more
 * with our lines, so it is left alone.
 */
export const codexRequirements: ManagedText = {
  withHooks: (text, plan) => {
    const after = linesFor(plan) + without(text ?? '');
    return read(after) === null ? null : after;
  },
  withoutHooks: without,
  read,
  objections: (settings) =>
    Object.entries(requirementLock).flatMap(([name, value]) =>
      JSON.stringify(settings[name]) === JSON.stringify(value)
        ? []
        : [`What keeps the hooks is missing there (${name}).`],
    ),
};

function linesFor(plan: HookPlan): string {
  const entries = codexFormat.entries(plan).map(({ event, value }) => [event, [value]] as const);
  const settings = { ...requirementLock, hooks: Object.fromEntries(entries) };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${inline(value)}\n`);
  return `${begin}${lines.join('')}${end}`;
}

function without(text: string): string {
  const from = text.indexOf(begin);
  const to = text.indexOf(end, from);
  return from < 0 || to < 0 ? text : text.slice(0, from) + text.slice(to + end.length);
}

function read(text: string): Fields | null {
  try {
    const value: unknown = parse(text);
    return isFields(value) ? value : null;
  } catch {
    return null;
  }
}

/** A value as TOML on one line. Strings of JSON are strings of TOML. */
function inline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`;
  if (!isFields(value)) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, field]) => `${name} = ${inline(field)}`);
  return `{ ${fields.join(', ')} }`;
}
