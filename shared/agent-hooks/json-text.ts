import {
  applyEdits,
  findNodeAtLocation,
  getNodeValue,
  modify,
  parse,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import type { FormattingOptions, JSONPath, ParseError } from 'jsonc-parser';
import { isFields } from '../policy/legacy.ts';

/** A text that cannot be edited safely; the message goes on from the name of the file. */
export class UnfitText extends Error {
  constructor(what: string) {
    super(what);
    this.name = 'UnfitText';
  }
}

/** How JSON text may be written. */
export interface JsonDialect {
  /** Comments and trailing commas are allowed, and kept. */
  readonly comments: boolean;
}

/**
 * The object in JSON text. Throws `UnfitText` for anything else: such a file is for a person to
 * mend, and is not touched.
 */
export function parseObject(
  text: string,
  { comments }: JsonDialect,
): Readonly<Record<string, unknown>> {
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, {
    disallowComments: !comments,
    allowTrailingComma: comments,
    allowEmptyContent: false,
  });
  const [error] = errors;
  if (error !== undefined)
    throw new UnfitText(
      `is not valid JSON: ${printParseErrorCode(error.error)} ${lineOf(text, error)}`,
    );
  if (!isFields(value)) throw new UnfitText('is not a JSON object');
  return value;
}

/** Sets what stands at a path, or takes it out where the value is undefined. The rest stays as it is. */
export function setAt(text: string, path: JSONPath, value: unknown): string {
  return applyEdits(text, modify(text, path, value, { formattingOptions: formOf(text) }));
}

/** Adds to the end of a list, which is made where there is none. */
export function appendAt(text: string, path: JSONPath, value: unknown): string {
  const options = { formattingOptions: formOf(text), isArrayInsertion: true };
  return applyEdits(text, modify(text, [...path, -1], value, options));
}

/** What stands at a path; undefined where nothing does. */
export function valueAt(text: string, path: JSONPath): unknown {
  const root = parseTree(text);
  const node = root === undefined ? undefined : findNodeAtLocation(root, path);
  return node === undefined ? undefined : getNodeValue(node);
}

/** The indentation and line ends that the text has. */
function formOf(text: string): FormattingOptions {
  const indent = /^([ \t]+)\S/mu.exec(text)?.[1] ?? '  ';
  return {
    insertSpaces: !indent.startsWith('\t'),
    tabSize: indent.startsWith('\t') ? 4 : indent.length,
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  };
}

function lineOf(text: string, { offset }: ParseError): string {
  return `in line ${String(text.slice(0, offset).split('\n').length)}`;
}
