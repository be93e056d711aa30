import type { IFunctionIdentifier, IParser } from '@xterm/xterm';

/** What a terminal may not do for whoever writes to it. Nothing here is for what a person types. */

const finals = Array.from({ length: 63 }, (_, index) => String.fromCharCode(0x40 + index));
const everything = (): boolean => true;

/** Questions that a terminal answers by typing: what it is, where its cursor is, how it is set. */
const questions: readonly IFunctionIdentifier[] = [
  { final: 'c' },
  { prefix: '>', final: 'c' },
  { prefix: '=', final: 'c' },
  { final: 'n' },
  { prefix: '?', final: 'n' },
  { intermediates: '$', final: 'p' },
  { prefix: '?', intermediates: '$', final: 'p' },
  // Sizes and titles of the window.
  { final: 't' },
];

/** Titles, colours of the page, links, the clipboard. */
const commands = [0, 1, 2, 4, 8, 10, 11, 12, 52, 104, 110, 111, 112];

/** Answers with whether the window is looked at. */
const tellsOfFocus = 1004;

/** What is repeated so often is more than a terminal has room for, and keeps the page from all else. */
const mostRepeats = 500;
/** Sequences whose number says where or how, and not how often. */
const notRepeated = new Set(['H', 'f', 'G', '`', 'd', 'e', 'h', 'l', 'm', 'r', 'q', 's', 'u']);

/** Takes out of a terminal all by which its output could type, reach out of it, or hold up the page. */
export function makeHarmless(parser: IParser): void {
  for (const each of questions) parser.registerCsiHandler(each, everything);
  for (const each of commands) parser.registerOscHandler(each, everything);
  parser.registerDcsHandler({ intermediates: '$', final: 'q' }, everything);
  parser.registerCsiHandler({ prefix: '?', final: 'h' }, (params) => params.includes(tellsOfFocus));
  const isTooMany = (params: readonly (number | number[])[]): boolean =>
    params.flat().some((each) => each > mostRepeats);
  for (const final of finals) {
    if (notRepeated.has(final)) continue;
    for (const intermediates of ['', ' ', "'"])
      parser.registerCsiHandler(
        { final, ...(intermediates !== '' && { intermediates }) },
        isTooMany,
      );
    parser.registerCsiHandler({ prefix: '?', final }, isTooMany);
  }
}
