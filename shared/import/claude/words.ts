/** One word of a command in a rule, without its quotes. */
export interface RuleWord {
  readonly text: string;
  readonly quoted: boolean;
}

/** What a shell does something with; a rule with these does not stand for plain words. */
const special = /[$`\\|&;<>(){}#!?[\]]/;

/**
 * The words of a command as they stand in a rule, `*` being the only wildcard. Null when they are
 * not plain: then nobody can say which words the shell would make of them.
 */
export function plainWords(text: string): readonly RuleWord[] | null {
  if (/\p{Cc}/u.test(text.replaceAll('\t', ' '))) return null;
  const words: RuleWord[] = [];
  const token = /\s*(?:'([^']*)'|"([^"]*)"|([^\s'"]+))(?=\s|$)/y;
  const trimmed = text.trim();
  while (token.lastIndex < trimmed.length) {
    const found = token.exec(trimmed);
    if (found === null) return null;
    const quoted = found[3] === undefined;
    const word = found[1] ?? found[2] ?? found[3] ?? '';
    if (found[1] === undefined && special.test(word)) return null;
    words.push({ text: word, quoted });
  }
  return words;
}

/** `NAME=value` before a command. */
export function isAssignment({ text, quoted }: RuleWord): boolean {
  return !quoted && /^[A-Za-z_][A-Za-z0-9_]*\+?=/.test(text);
}
