import { sha256 } from '../digest/sha256.ts';
import { utf8Bytes } from '../digest/utf8.ts';

/**
 * The text that an `argPattern` is held against: the arguments joined by one space. Older programs
 * also wrote patterns with NUL as the separator, a NUL at the end, and two for no arguments at all.
 */
export function argumentText(args: readonly string[], pattern: string): string {
  if (!pattern.includes('\0')) return args.join(' ');
  return args.length === 0 ? '\0\0' : `${args.join('\0')}\0`;
}

const digestPrefix = 'sha256:cwd-argv:v1:';

/** The digest that an `argPattern` of a newer OpenClaw carries instead of an expression, or null. */
export function argumentDigest(pattern: string): string | null {
  return pattern.startsWith(digestPrefix) ? pattern.slice(digestPrefix.length) : null;
}

/** sha256 (hex) that binds a rule to one directory and one list of arguments. */
export function digestOfArguments(cwd: string, args: readonly string[]): string {
  const parts = [String(utf8Bytes(cwd).length), cwd, String(args.length)];
  for (const arg of args) parts.push(String(utf8Bytes(arg).length), arg);
  return sha256(`${parts.join('\0')}\0`);
}
