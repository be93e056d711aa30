import { readArguments } from './read.ts';
import type { Argument, ProgramRecord } from './types.ts';

/** What a pattern expands to cannot begin with a dash, nor be an operator, where it begins so. */
const safeStart = /^[A-Za-z0-9_./~,:%=\u0080-\uffff]/;

/** Whether a word may come to be an option once the shell has expanded it. */
export function mayBecomeOption({ text, live }: Argument): boolean {
  if (live !== 'pattern') return false;
  return !safeStart.test(text) && !/^--[A-Za-z0-9][\w-]*=/.test(text);
}

/** Programs without a record whose operands are names of files, and nothing else. */
const fileOperands: ReadonlySet<string> = new Set(
  `b2sum base32 base64 bzip2 chgrp chmod chown cksum comm diff du file fold gunzip gzip join md5sum nl od
  paste readlink realpath rmdir sha1sum sha256sum sha512sum shred split stat strings tac tee touch
  truncate uniq unlink unzip wc xxd xz zcat zstd`.split(/\s+/),
);

/**
 * `*` as `./*` where a program takes files: the same files, none of which can be taken for an option
 * any more, whatever name an agent gave it. Where a word is not surely a file it stays as it is, and
 * is a doubt.
 */
export function anchored<T extends Argument>(
  args: readonly T[],
  { name, record, anchor }: Anchoring<T>,
): readonly T[] {
  if (!args.some(mayBecomeOption)) return args;
  const tried = args.map((arg) =>
    mayBecomeOption(arg) && !arg.text.startsWith('-') ? anchor(arg) : arg,
  );
  const isFile = record === null ? () => fileOperands.has(name) : readFile(record, tried);
  return args.map((arg, index) => (isFile(index) ? (tried[index] ?? arg) : arg));
}

interface Anchoring<T> {
  readonly name: string;
  readonly record: ProgramRecord | null;
  /** The same word with `./` in front. */
  readonly anchor: (arg: T) => T;
}

/** The grammar takes the word for an operand, and that operand for a path. */
function readFile(record: ProgramRecord, tried: readonly Argument[]) {
  // A project decides for itself what its scripts take for a file, and a link holds the very word.
  if (record.project !== undefined || record.names.includes('ln')) return () => false;
  const reading = readArguments(record, tried);
  const operands = new Set(reading.operands.map(({ word }) => word));
  const paths = new Set(
    reading.effects.flatMap((effect) => (effect.kind === 'path' ? [effect.word] : [])),
  );
  return (index: number): boolean => operands.has(index) && paths.has(index);
}
