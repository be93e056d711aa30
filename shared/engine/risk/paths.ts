/** An absolute path without `.` and `..`, or the word itself where the folder is not known. */
export function absolute(
  word: string,
  { cwd, home }: { readonly cwd: string | null; readonly home: string },
): string {
  const expanded = word.replace(/^~(?=\/|$)/, home).replace(/^\$(?:HOME|\{HOME\})(?=\/|$)/, home);
  if (!expanded.startsWith('/') && cwd === null) return expanded;
  const full = expanded.startsWith('/') ? expanded : `${cwd}/${expanded}`;
  const parts: string[] = [];
  for (const part of full.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}

/** Holds a variable or substitution whose value nobody knows. */
export function isUnknown(word: string): boolean {
  return /[$`]/.test(word.replace(/^\$(?:HOME|\{HOME\})(?=\/|$)/, ''));
}

const temporary = /^(?:\/private)?\/(?:tmp|var\/tmp|dev\/shm)\/[^*?/][^/]*/;

/** Below a directory for temporary files, at a place of its own. */
export function isTemporary(path: string): boolean {
  return temporary.test(path);
}
