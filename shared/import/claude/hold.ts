import { restToken } from '../../rules/args.ts';
import { escapeGlob } from '../../rules/glob.ts';
import type { NewRule } from '../new-rule.ts';
import type { BashRule } from './bash-rule.ts';
import { isAssignment, plainWords } from './words.ts';

export interface HoldRule {
  readonly rule: NewRule;
  readonly note: string | null;
}

type Effect = 'deny' | 'ask';

const wider: Readonly<Record<Effect, string>> = {
  deny: 'It denies more here than it did: every use of this program.',
  ask: 'It asks about more here than it did: every use of this program.',
};

/**
 * A rule that denies or asks, from a command of Claude Code. Where it cannot say the same it says
 * more, never less; null when not even its program can be told.
 */
export function holdRule(effect: Effect, { text, end }: BashRule): HoldRule | null {
  const words = plainWords(text)?.filter((word, index, all) => {
    const before = all.slice(0, index);
    return !(isAssignment(word) && before.every(isAssignment));
  });
  if (words === undefined) return byProgram(effect, text);
  const [program, ...rest] = words;
  if (program === undefined) return null;
  const named = { effect, pattern: programOf(program.text) };
  const dropped = (plainWords(text)?.length ?? 0) > words.length;
  const note = dropped ? 'It holds whatever variables are set before the command.' : null;
  const anywhere = program.text === '*';
  // A wildcard in the name may stand for further words too: then all arguments are meant.
  if (program.text.includes('*') && !anywhere)
    return { rule: named, note: rest.length === 0 ? note : wider[effect] };
  if (anywhere || rest.some(({ text: word }) => word.includes('*')))
    return { rule: { ...named, argPattern: expressionOf(rest, { end, anywhere }) }, note };
  if (rest.length === 0 && end !== 'exact') return { rule: named, note };
  const tokens = rest.map(({ text: word }) =>
    word === restToken ? String.raw`\...` : escapeGlob(word),
  );
  return { rule: { ...named, args: end === 'exact' ? tokens : [...tokens, restToken] }, note };
}

/** Of a text that is not plain words only the first one counts. */
function byProgram(effect: Effect, text: string): HoldRule | null {
  const [program] = plainWords(/^\s*\S+/.exec(text)?.[0] ?? '') ?? [];
  if (program === undefined || isAssignment(program)) return null;
  return { rule: { effect, pattern: programOf(program.text) }, note: wider[effect] };
}

/** By name wherever it is, unless the rule says exactly where; `*` alone is any program. */
function programOf(word: string): string {
  if (word === '*') return '**';
  if (word.startsWith('/')) return escapeWords(word);
  return escapeWords(word.slice(word.lastIndexOf('/') + 1)) || '**';
}

function escapeWords(word: string): string {
  return word.split('*').map(escapeGlob).join('*');
}

/** Over the words joined by a space, as the source is over the text. */
function expressionOf(
  words: readonly { readonly text: string }[],
  { end, anywhere }: { readonly end: BashRule['end']; readonly anywhere: boolean },
): string {
  const body = words.map(({ text }) => text.split('*').map(escapeExpression).join('.*')).join(' ');
  return `^${anywhere ? '(?:.* )?' : ''}${body}${end === 'exact' ? '$' : '(?: .*)?$'}`;
}

function escapeExpression(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
}
