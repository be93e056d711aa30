// @ts-check

/**
 * JavaScript that says the same in ASCII. V8 keeps the text of what it runs, and two bytes of each letter
 * where a single one is beyond Latin-1: a tenth of what an idle runner weighs. Programs are read as Latin-1
 * for the same reason. What is beyond ASCII has to stand in strings, patterns and comments.
 *
 * @param {string} code
 */
export function asciiOf(code) {
  return code.replaceAll(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
