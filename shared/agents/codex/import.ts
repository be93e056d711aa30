import { escapeGlob, restToken } from '../../engine/index.ts';
import type { ArgToken, RuleEffect } from '../../engine/index.ts';
import type { ImportedRule, ParsedImport, SkippedEntry } from '../../wire/index.ts';

/** A token of a `.rules` file. `line` counts from 1. */
type Token = { readonly line: number } & (
  | { readonly kind: 'name'; readonly text: string }
  | { readonly kind: 'string'; readonly text: string }
  | { readonly kind: 'sign'; readonly text: '(' | ')' | '[' | ']' | ',' | '=' }
);

type Tokens =
  | { readonly ok: true; readonly tokens: readonly Token[] }
  | { readonly ok: false; readonly line: number; readonly why: string };

const blank = /(?:[ \t\r]|#[^\n]*|\\\r?\n)+/y;
const nameToken = /[A-Za-z_][A-Za-z0-9_]*/y;
const shortString = /"((?:[^"\\\n]|\\[^\n])*)"|'((?:[^'\\\n]|\\[^\n])*)'/y;
const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  '\\': '\\',
  '"': '"',
  "'": "'",
};

/** The tokens of the part of Starlark that rules are written in. Anything else is an error. */
function tokensOf(text: string): Tokens {
  const tokens: Token[] = [];
  let line = 1;
  let at = 0;
  const take = (expression: RegExp): RegExpExecArray | null => {
    expression.lastIndex = at;
    const found = expression.exec(text);
    if (found !== null) at += found[0].length;
    return found;
  };
  while (at < text.length) {
    const skipped = take(blank);
    if (skipped !== null) {
      line += skipped[0].split('\n').length - 1;
      continue;
    }
    const sign = text[at] ?? '';
    if (sign === '\n') {
      line += 1;
      at += 1;
    } else if (isSign(sign)) {
      tokens.push({ kind: 'sign', text: sign, line });
      at += 1;
    } else if (text.startsWith('"""', at) || text.startsWith("'''", at)) {
      return { ok: false, line, why: 'a text over several lines is not understood' };
    } else {
      const word = take(nameToken);
      const quoted = word === null ? take(shortString) : null;
      if (word !== null && /["']/.test(text[at] ?? ''))
        return { ok: false, line, why: 'a text with a prefix is not understood' };
      if (word !== null) tokens.push({ kind: 'name', text: word[0], line });
      else if (quoted !== null) {
        const value = unescaped(quoted[1] ?? quoted[2] ?? '');
        if (value === null)
          return { ok: false, line, why: 'an escape in a text is not understood' };
        tokens.push({ kind: 'string', text: value, line });
      } else return { ok: false, line, why: `"${sign}" is not understood` };
    }
  }
  return { ok: true, tokens };
}

function isSign(text: string): text is '(' | ')' | '[' | ']' | ',' | '=' {
  return text !== '' && '()[],='.includes(text);
}

function unescaped(body: string): string | null {
  let known = true;
  const text = body.replaceAll(/\\([\s\S])/g, (_, letter: string) => {
    const value = escapes[letter];
    if (value === undefined) known = false;
    return value ?? '';
  });
  return known ? text : null;
}

/** A value in a `.rules` file. */
type Value = string | boolean | null | readonly Value[];

/** One statement: a call with named arguments. */
interface RuleCall {
  readonly name: string;
  readonly line: number;
  readonly args: ReadonlyMap<string, Value>;
}

type ParsedCalls =
  | { readonly ok: true; readonly calls: readonly RuleCall[] }
  | { readonly ok: false; readonly line: number; readonly why: string };

const deepest = 4;
const constants: ReadonlyMap<string, boolean | null> = new Map([
  ['True', true],
  ['False', false],
  ['None', null],
]);

class SyntaxProblem extends Error {
  readonly line: number;
  constructor(line: number, why: string) {
    super(why);
    this.line = line;
  }
}

/**
 * The calls of a `.rules` file, nothing of which is ever run. Variables, loops, functions and
 * everything else that a program could be made of are errors: a rule could hide in them.
 */
function callsOf(text: string): ParsedCalls {
  const read = tokensOf(text);
  if (!read.ok) return read;
  const { tokens } = read;
  const calls: RuleCall[] = [];
  let at = 0;
  const lastLine = tokens.at(-1)?.line ?? 1;
  const next = (): Token => {
    const token = tokens[at];
    if (token === undefined) throw new SyntaxProblem(lastLine, 'the file ends too early');
    at += 1;
    return token;
  };
  const isNext = (sign: string): boolean => {
    const token = tokens[at];
    return token?.kind === 'sign' && token.text === sign;
  };
  const expect = (sign: string): void => {
    const token = next();
    if (token.kind !== 'sign' || token.text !== sign)
      throw new SyntaxProblem(token.line, `"${sign}" was expected, not "${token.text}"`);
  };
  const value = (depth: number): Value => {
    const token = next();
    if (token.kind === 'string') return token.text;
    if (token.kind === 'name' && constants.has(token.text))
      return constants.get(token.text) ?? null;
    if (token.kind !== 'sign' || token.text !== '[' || depth >= deepest)
      throw new SyntaxProblem(token.line, `"${token.text}" is neither text nor a list`);
    const items: Value[] = [];
    while (!isNext(']')) {
      items.push(value(depth + 1));
      if (!isNext(']')) expect(',');
    }
    expect(']');
    return items;
  };
  const call = (): RuleCall => {
    const name = next();
    if (name.kind !== 'name') throw new SyntaxProblem(name.line, `"${name.text}" starts no rule`);
    expect('(');
    const args = new Map<string, Value>();
    while (!isNext(')')) {
      const key = next();
      if (key.kind !== 'name' || args.has(key.text))
        throw new SyntaxProblem(key.line, `"${key.text}" names no argument, or one twice`);
      expect('=');
      args.set(key.text, value(0));
      if (!isNext(')')) expect(',');
    }
    expect(')');
    return { name: name.text, line: name.line, args };
  };
  try {
    while (at < tokens.length) calls.push(call());
  } catch (error) {
    if (error instanceof SyntaxProblem) return { ok: false, line: error.line, why: error.message };
    throw error;
  }
  return { ok: true, calls };
}

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
    throw new BrokenRule('its name is not a bare name');
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
    throw new BrokenRule('its pattern holds something that is not a word');
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
  if (!Array.isArray(value)) throw new BrokenRule('its examples are not a list');
  return (value as readonly Value[]).map((example) => {
    if (typeof example === 'string') return example;
    if (Array.isArray(example)) return (example as readonly Value[]).map(quotedWord).join(' ');
    throw new BrokenRule('an example is not a command');
  });
}

function quotedWord(word: Value): string {
  if (typeof word !== 'string')
    throw new BrokenRule('an example holds something that is not a word');
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
