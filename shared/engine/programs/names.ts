import { longestPath } from '../plan/paths.ts';

/** Patterns for names of files in options, as programs have them: in doubt a name matches. */

/** Whether a pattern has no more than letters and `*`, so that what it matches is sure. */
export function isExactName(pattern: string): boolean {
  return pattern !== '' && !/[?[\]{}\\/!]/.test(pattern) && pattern !== '**';
}

/**
 * Whether a name may match a glob: `*` is any text, `?` and a set any letter, braces any text. Of a
 * pattern with folders the last part decides for a name; case is left out. Linear but for `*`.
 */
export function nameMatches(pattern: string, name: string): boolean {
  const last = name.includes('/') ? pattern : pattern.slice(pattern.lastIndexOf('/') + 1);
  return fits(stepsOf(last.toLowerCase()), name.toLowerCase());
}

function stepsOf(pattern: string): readonly string[] {
  if (pattern === '' || pattern.length > 1000) return ['*'];
  const parts = pattern.match(/\\.|\[[!^]?\]?[^\]]*\]|\{[^}]*\}|./gsu) ?? [];
  return parts.map((part) => {
    if (part.startsWith('{')) return '*';
    if (part.startsWith('[')) return '?';
    return part.startsWith('\\') && part.length > 1 ? `\\${part.slice(1)}` : part;
  });
}

/** The usual walk with one place to go back to, so that no pattern makes it slow. */
function fits(steps: readonly string[], name: string): boolean {
  let step = 0;
  let at = 0;
  let star = -1;
  let mark = 0;
  while (at < name.length) {
    const one = steps[step];
    if (one === '*') {
      star = step;
      step += 1;
      mark = at;
    } else if (one !== undefined && (one === '?' || one.replace(/^\\/, '') === name[at])) {
      step += 1;
      at += 1;
    } else if (star >= 0) {
      mark += 1;
      at = mark;
      step = star + 1;
    } else return false;
  }
  return steps.slice(step).every((one) => one === '*');
}

/** The word, what stands behind its `=`, and what may be glued to a short option. */
export function inWord(word: string): readonly string[] {
  const found = [word];
  const equals = word.indexOf('=');
  if (equals > 0) found.push(word.slice(equals + 1));
  if (/^-[^-]/.test(word))
    for (let at = 2; at < Math.min(word.length, 8); at++)
      if (/[./~\w]/.test(word[at] ?? '')) found.push(word.slice(at));
  // `curl -w '%output{.envrc}'`
  for (const [, name = ''] of word.matchAll(/%output\{(?:>>)?([^}]+)\}/g)) found.push(name);
  return found.filter((one) => one.length <= longestPath);
}
