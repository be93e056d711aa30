import { isFields } from '../policy/legacy.ts';
import { escapeGlob } from '../rules/glob.ts';
import { readClaude } from './claude/claude.ts';
import { readCodex } from './codex/codex.ts';
import { readOpenClaw } from './openclaw.ts';
import type { ImportFormat, ParsedImport } from './types.ts';

/** No rule file is longer, in characters. */
export const importLimit = 4 * 1024 * 1024;

export interface ReadOptions {
  /** Absent: told from the text. */
  readonly format?: ImportFormat | undefined;
  /** Whose rules they become; absent: as the file says, else the agent that wrote the file. */
  readonly agent?: string | undefined;
  /** Absolute: the rules hold in this folder and below. */
  readonly folder?: string | undefined;
}

/**
 * The command rules in a file of another program. They never allow more than the file did; what is
 * not carried over is listed with a reason.
 */
export function readRules(text: string, options: ReadOptions = {}): ParsedImport {
  if (text.length > importLimit) return { ok: false, error: 'The file is too long.' };
  const format = options.format ?? formatOf(text);
  if (format === null)
    return {
      ok: false,
      error: 'This is no rule file of OpenClaw, Claude Code or Codex, and no policy.',
    };
  const parsed = readAs(format, text);
  if (!parsed.ok) return parsed;
  const { imported } = parsed;
  return { ok: true, imported: { ...imported, rules: imported.rules.map(placed(options)) } };
}

/** Which program wrote the file, or null. */
export function formatOf(text: string): ImportFormat | null {
  const value = jsonOf(text);
  if (isFields(value)) return isFields(value['permissions']) ? 'claude' : 'openclaw';
  if (value !== undefined) return null;
  return /^\s*(?:prefix_rule|host_executable|network_rule)\s*\(/m.test(text) ? 'codex' : null;
}

function readAs(format: ImportFormat, text: string): ParsedImport {
  if (format === 'openclaw') return readOpenClaw(text);
  if (format === 'codex') return readCodex(text);
  const value = jsonOf(text);
  return value === undefined ? { ok: false, error: 'It is not JSON.' } : readClaude(value);
}

type Parsed = Extract<ParsedImport, { ok: true }>['imported']['rules'][number];

function placed({ agent, folder }: ReadOptions): (rule: Parsed) => Parsed {
  const below = folder === undefined ? undefined : `${escapeFolder(folder)}/**`;
  return (imported) => ({
    ...imported,
    agent: agent ?? imported.agent,
    // A rule with a folder of its own keeps it: that is narrower, or was meant.
    rule:
      below === undefined || imported.rule.cwd !== undefined
        ? imported.rule
        : { ...imported.rule, cwd: below },
  });
}

function escapeFolder(folder: string): string {
  return escapeGlob(folder.replace(/\/+$/, ''));
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
