import { RE2JS } from 're2js';

/** A regular expression that runs in linear time. */
export interface LinearRegex {
  /** Null when it was understood; else why not, and it then matches nothing. */
  readonly problem: string | null;
  /** True when a match stands anywhere in the text, as `RegExp.test` does. */
  test(text: string): boolean;
}

/**
 * Compiles a regular expression in JavaScript's notation. Look-around and back references cannot be
 * run in linear time and are refused.
 */
export function compileRegex(pattern: string): LinearRegex {
  try {
    const regex = RE2JS.compile(RE2JS.translateRegExp(pattern));
    return { problem: null, test: (text) => regex.test(text) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : 'unknown', test: () => false };
  }
}
