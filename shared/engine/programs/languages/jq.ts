import { doubt } from '../forms.ts';
import type { Doubt, Yield } from '../types.ts';

const longest = 20_000;

/** What reads more than the input: modules, the environment, and in yq files and commands. */
const reaching: Readonly<Record<string, string>> = {
  import: 'takes code or data from another file',
  include: 'takes code from another file',
  modulemeta: 'reads other files',
  env: 'reads the environment, which can hold secrets',
  $ENV: 'reads the environment, which can hold secrets',
};

/**
 * The same in yq, whose reader takes them out of longer words (`andload`) and has several spellings
 * of most: `load_str`, `loadstr`, `str_load`.
 */
const reachingInside: readonly (readonly [RegExp, string])[] = [
  [/load/, 'reads other files'],
  [/env/, 'reads the environment, which can hold secrets'],
  [/system/, 'runs commands'],
  [/eval/, 'runs a text as a filter'],
  [/split_?doc/i, 'writes other files'],
];

function reaches(name: string, language: 'jq' | 'yq'): string | undefined {
  if (Object.hasOwn(reaching, name)) return reaching[name];
  // A name behind a dollar sign or an at sign is one of a variable or a format.
  if (language === 'jq' || !/^\w/.test(name)) return undefined;
  return reachingInside.find(([inside]) => inside.test(name))?.[1];
}

/**
 * Reads a filter of jq or yq word by word. The words between are let alone: no filter can do more
 * than print, but for those that are named here.
 */
export function readFilter(text: string, word: number, language: 'jq' | 'yq' = 'jq'): Yield {
  const doubts: Doubt[] = [];
  const say = (what: string): void => {
    if (doubts.length === 0) doubts.push(doubt(`the filter ${what}`, word));
  };
  if (text.length > longest) say('is too long');
  const open: string[] = [];
  let before = '';
  let at = 0;
  const token =
    /\s+|#[^\n]*|[A-Za-z_]\w*(?:::\w+)*|\$__loc__|\$\s*[A-Za-z_]\w*(?:::\w+)*|@\w+|[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?|"|::|\?\/\/|[^\s\w]/y;
  while (at < text.length && doubts.length === 0) {
    token.lastIndex = at;
    const found = token.exec(text)?.[0];
    if (found === undefined) {
      say('is not understood');
      break;
    }
    at += found.length;
    if (/^\s/.test(found)) {
      if (before === '.') before = '';
      continue;
    }
    if (found.startsWith('#')) {
      // Versions differ in whether such a comment goes on in the next line.
      if (/\\\r?$/.test(found)) say('has a comment that ends in a backslash');
      continue;
    }
    if (found === '"') {
      const end = textEnd(text, at);
      if (end === null) {
        say('has a text without an end');
        break;
      }
      at = end.at;
      if (end.opens) open.push('"(');
      before = '"';
      continue;
    }
    const closed = bracket(found, open);
    if (closed === 'wrong') say('has brackets that do not match');
    if (closed === 'text') {
      const end = textEnd(text, at);
      if (end === null) say('has a text without an end');
      else {
        at = end.at;
        if (end.opens) open.push('"(');
      }
      before = '"';
      continue;
    }
    const name = found.replaceAll(/\s/g, '');
    const why = reaches(name, language);
    const isVariable = name.startsWith('$');
    if (why !== undefined && (isVariable || !isKey(text, at, { before, inner: open.at(-1) })))
      say(why);
    before = found;
  }
  if (open.length > 0) say('leaves a bracket open');
  return { doubts };
}

/** Where a text ends, or where an expression in it begins. */
function textEnd(text: string, start: number): { at: number; opens: boolean } | null {
  for (let at = start; at < text.length; at++) {
    if (text[at] === '"') return { at: at + 1, opens: false };
    if (text[at] !== '\\') continue;
    if (text[at + 1] === '(') return { at: at + 2, opens: true };
    at++;
  }
  return null;
}

function bracket(mark: string, open: string[]): 'wrong' | 'text' | null {
  if (mark === '(' || mark === '[' || mark === '{') open.push(mark);
  else if (mark === ')' || mark === ']' || mark === '}') {
    const opened = open.pop() ?? '';
    if (mark === ')' && opened === '"(') return 'text';
    const pairs: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };
    if (pairs[mark] !== opened) return 'wrong';
  }
  return null;
}

/** `.env`, `{env: 1}` and `{env}` are names of fields; `{$ENV}` is the variable with its name. */
function isKey(
  text: string,
  end: number,
  { before, inner }: { readonly before: string; readonly inner: string | undefined },
): boolean {
  if (before === '.') return true;
  if (inner !== '{' || (before !== '{' && before !== ',')) return false;
  return /^\s*(?::(?!:)|[,}])/.test(text.slice(end, end + 50));
}
