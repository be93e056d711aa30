import { opaque } from './opaque.ts';
import type { Source } from './source.ts';
import type { Piece } from './syntax.ts';

const name = /[A-Za-z_][A-Za-z0-9_]*/y;

/**
 * Reads what a `$` begins, except `$'` and `$"`. Known variables are left to the plan; everything
 * that could run code or take apart a value is opaque.
 */
export function readDollar(source: Source, quoted: boolean): Piece {
  const { text } = source;
  const start = source.at;
  const next = text[start + 1];
  if (next === '(') {
    if (text[start + 2] === '(')
      throw opaque('arithmetic', 'Arithmetic can run commands.', start, start + 3);
    throw opaque(
      'command-substitution',
      'The output of another command is used.',
      start,
      start + 2,
    );
  }
  if (next === '[') throw opaque('arithmetic', 'Arithmetic can run commands.', start, start + 2);
  if (next === '?') {
    source.at += 2;
    return { kind: 'status', quoted };
  }
  if (next === '{') return readBraced(source, quoted);
  if (next === '\\' && text[start + 2] === '\n')
    throw opaque('unsupported-syntax', 'An expansion is broken over two lines.', start, start + 3);
  const found = nameAt(text, start + 1);
  if (found !== null) {
    source.at += 1 + found.length;
    // A joined line inside the name would be taken out by the shell, and the name would go on.
    if (text.startsWith('\\\n', source.at))
      throw opaque('unsupported-syntax', 'A name is broken over two lines.', start, source.at);
    return { kind: 'variable', name: found, quoted, bare: true };
  }
  if (next !== undefined && /[0-9@*#$!-]/.test(next))
    throw opaque('parameter-expansion', `The value of $${next} is not known.`, start, start + 2);
  source.at++;
  return { kind: 'text', text: '$', quoted: true };
}

function readBraced(source: Source, quoted: boolean): Piece {
  const { text } = source;
  const start = source.at;
  if (text.startsWith('${?}', start)) {
    source.at += 4;
    return { kind: 'status', quoted };
  }
  const found = nameAt(text, start + 2);
  const end = start + 2 + (found?.length ?? 0);
  if (found === null || text[end] !== '}')
    throw opaque('parameter-expansion', 'A value is changed while it is expanded.', start, end + 1);
  source.at = end + 1;
  return { kind: 'variable', name: found, quoted, bare: false };
}

function nameAt(text: string, at: number): string | null {
  name.lastIndex = at;
  return name.exec(text)?.[0] ?? null;
}
