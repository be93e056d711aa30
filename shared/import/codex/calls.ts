import { tokensOf } from './tokens.ts';
import type { Token } from './tokens.ts';

/** A value in a `.rules` file. */
export type Value = string | boolean | null | readonly Value[];

/** One statement: a call with named arguments. */
export interface RuleCall {
  readonly name: string;
  readonly line: number;
  readonly args: ReadonlyMap<string, Value>;
}

export type ParsedCalls =
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
export function callsOf(text: string): ParsedCalls {
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
      throw new SyntaxProblem(token.line, `"${token.text}" is no text and no list`);
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
