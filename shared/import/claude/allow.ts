import { restToken } from '../../rules/args.ts';
import { escapeGlob } from '../../rules/glob.ts';
import type { NewRule } from '../new-rule.ts';
import type { BashRule } from './bash-rule.ts';
import { isAssignment, plainWords } from './words.ts';
import type { RuleWord } from './words.ts';

export type AllowRule =
  | { readonly ok: true; readonly rule: NewRule; readonly note: string | null }
  /** Why it is not carried over, as a sentence. */
  | { readonly ok: false; readonly why: string };

/** One word at least, whatever it is. */
const anyWord = '**';

/**
 * An allow rule for a command of Claude Code. There it is held against the text of a command, here
 * against its words, so it may come out narrower; where it could come out wider there is none.
 */
export function allowRule({ text, end }: BashRule): AllowRule {
  const words = plainWords(text);
  const [program, ...rest] = words ?? [];
  if (program === undefined) return no('It is written in shell syntax, not in plain words.');
  if (isAssignment(program)) return no('It sets a variable before the command.');
  if (program.text.includes('*')) return no('It names more than one program.');
  const pattern = programPattern(program.text);
  if (pattern === null)
    return no('Its program is named from a folder that the rule does not tell.');
  if (rest.some(({ text: word, quoted }) => quoted && word.includes('*')))
    return no('It has a wildcard within quotes.');
  const tokens = rest.map(({ text: word }) => tokenOf(word));
  const open = openEnd(rest);
  // As in "git push*": what follows the wildcard may be further words too.
  const tail = end === 'some' ? [anyWord, restToken] : end === 'any' || open ? [restToken] : [];
  const anything = rest.length === 0 && end === 'any';
  const inner = (open ? rest.slice(0, -1) : rest).some(({ text: word }) => word.includes('*'));
  return {
    ok: true,
    rule: { effect: 'allow', pattern, ...(anything ? {} : { args: [...tokens, ...tail] }) },
    note: inner ? 'A "*" between words stands for a part of one word here.' : null,
  };
}

/** A bare name is looked up in trusted folders; a path is taken as it is. */
function programPattern(word: string): string | null {
  if (word.startsWith('/') || word.startsWith('~/'))
    return word.startsWith('~') ? `~${escapeGlob(word.slice(1))}` : escapeGlob(word);
  return word.includes('/') ? null : escapeGlob(word);
}

function tokenOf(word: string): string {
  const escaped = word.split('*').map(escapeGlob).join('*');
  return escaped === restToken ? String.raw`\...` : escaped;
}

function openEnd(words: readonly RuleWord[]): boolean {
  return words.at(-1)?.text.endsWith('*') ?? false;
}

function no(why: string): AllowRule {
  return { ok: false, why };
}
