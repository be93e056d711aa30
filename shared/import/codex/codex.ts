import type { ArgToken, RuleEffect } from '../../policy/types.ts';
import { restToken } from '../../rules/args.ts';
import { escapeGlob } from '../../rules/glob.ts';
import type { ImportedRule, ParsedImport, SkippedEntry } from '../types.ts';
import { callsOf } from './calls.ts';
import type { RuleCall, Value } from './calls.ts';

const agent = 'codex';

const effects: ReadonlyMap<Value, RuleEffect> = new Map([
  ['allow', 'allow'],
  ['prompt', 'ask'],
  ['forbidden', 'deny'],
]);

const ruleFields = new Set(['pattern', 'decision', 'justification', 'match', 'not_match']);

/** A rule that could not be read makes the whole file unreadable: it might be one that forbids. */
class BrokenRule extends Error {}

/** The command rules of an execpolicy file of Codex. Nothing in it is run. */
export function readCodex(text: string): ParsedImport {
  const parsed = callsOf(text);
  if (!parsed.ok) return failed(parsed.line, parsed.why);
  const rules: ImportedRule[] = [];
  const skipped: SkippedEntry[] = [];
  const paths = new Map<string, readonly string[]>();
  for (const call of parsed.calls) {
    try {
      if (call.name === 'host_executable') paths.set(...hostExecutable(call));
    } catch (error) {
      return failed(call.line, messageOf(error));
    }
  }
  for (const call of parsed.calls) {
    try {
      if (call.name === 'prefix_rule') rules.push(...prefixRule(call, paths));
      else if (call.name !== 'host_executable')
        skipped.push({
          from: `${call.name}(…), line ${String(call.line)}`,
          why: 'It is no rule for commands.',
          holdsBack: false,
        });
    } catch (error) {
      return failed(call.line, messageOf(error));
    }
  }
  return { ok: true, imported: { format: 'codex', rules, skipped } };
}

/** A prefix of words; each place takes one word or one of several. */
function prefixRule(
  call: RuleCall,
  paths: ReadonlyMap<string, readonly string[]>,
): readonly ImportedRule[] {
  const { args } = call;
  for (const field of args.keys())
    if (!ruleFields.has(field)) throw new BrokenRule(`"${field}" is not known`);
  const effect = effects.get(args.get('decision') ?? 'allow');
  if (effect === undefined) throw new BrokenRule('its decision is not known');
  const pattern = args.get('pattern');
  if (!Array.isArray(pattern)) throw new BrokenRule('it has no pattern');
  const [programs, ...rest] = (pattern as readonly Value[]).map(alternatives);
  if (programs === undefined) throw new BrokenRule('its pattern is empty');
  const note = args.get('justification');
  const match = examples(args.get('match'));
  const noMatch = examples(args.get('not_match'));
  const tokens: readonly ArgToken[] = rest.map(tokenOf);
  const common = {
    ...(rest.length === 0 ? {} : { args: [...tokens, restToken] }),
    ...(typeof note === 'string' && note !== '' ? { note: note.slice(0, 4096) } : {}),
  };
  const from = `prefix_rule(pattern=${JSON.stringify(pattern)}), line ${String(call.line)}`;
  return programs
    .flatMap((program) => [program, ...(paths.get(program) ?? [])])
    .map((program) => {
      const own = match.filter((command) => programs.length === 1 || startsWith(command, program));
      return {
        agent,
        from,
        rule: {
          effect,
          pattern: patternOf(program, effect),
          ...common,
          ...examplesOf(program.startsWith('/') ? [] : own, noMatch),
        },
        note: null,
      };
    });
}

/** Absolute paths that stand for a name. */
function hostExecutable({ args }: RuleCall): [string, readonly string[]] {
  const name = args.get('name');
  const listed = args.get('paths');
  if (typeof name !== 'string' || name === '' || name.includes('/'))
    throw new BrokenRule('its name is no bare name');
  if (!Array.isArray(listed)) throw new BrokenRule('it has no paths');
  const paths = (listed as readonly Value[]).map((path) => {
    if (typeof path === 'string' && path.startsWith('/') && path.endsWith(`/${name}`)) return path;
    throw new BrokenRule(`a path of it is not absolute, or does not end in "${name}"`);
  });
  return [name, paths];
}

function alternatives(value: Value): readonly string[] {
  const words = Array.isArray(value) ? (value as readonly Value[]) : [value];
  const texts = words.filter((word) => typeof word === 'string');
  if (texts.length === 0 || texts.length < words.length || texts.includes(''))
    throw new BrokenRule('its pattern holds something that is no word');
  return texts;
}

function tokenOf(words: readonly string[]): ArgToken {
  const escaped = words.map((word) => {
    const glob = escapeGlob(word);
    return glob === restToken ? String.raw`\...` : glob;
  });
  return escaped.length === 1 ? (escaped[0] ?? '') : escaped;
}

/** What denies or asks holds for a program by its name, wherever it is. */
function patternOf(program: string, effect: RuleEffect): string {
  if (program.startsWith('/')) return escapeGlob(program);
  if (!program.includes('/')) return escapeGlob(program);
  if (effect === 'allow') throw new BrokenRule(`"${program}" is neither a name nor a whole path`);
  return escapeGlob(program.slice(program.lastIndexOf('/') + 1));
}

/** Command lines, written as one text or as a list of words. */
function examples(value: Value | undefined): readonly string[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new BrokenRule('its examples are no list');
  return (value as readonly Value[]).map((example) => {
    if (typeof example === 'string') return example;
    if (Array.isArray(example)) return (example as readonly Value[]).map(quoted).join(' ');
    throw new BrokenRule('an example is no command');
  });
}

function quoted(word: Value): string {
  if (typeof word !== 'string') throw new BrokenRule('an example holds something that is no word');
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

function examplesOf(match: readonly string[], noMatch: readonly string[]): object {
  if (match.length === 0 && noMatch.length === 0) return {};
  return {
    examples: {
      ...(match.length === 0 ? {} : { match: match.slice(0, 100) }),
      ...(noMatch.length === 0 ? {} : { noMatch: noMatch.slice(0, 100) }),
    },
  };
}

function startsWith(command: string, program: string): boolean {
  return command === program || command.startsWith(`${program} `);
}

function messageOf(error: unknown): string {
  if (error instanceof BrokenRule) return error.message;
  throw error;
}

function failed(line: number, why: string): ParsedImport {
  return { ok: false, error: `Line ${String(line)} cannot be read: ${why}.` };
}
