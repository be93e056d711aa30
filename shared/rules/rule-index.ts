import { ignoresCase } from './compiled-rule.ts';
import type { CompiledRule, RuleSurroundings } from './compiled-rule.ts';
import type { Words } from './args.ts';
import { prefixIndex } from './prefix-index.ts';
import { candidates, emptyShelf, put } from './shelf.ts';
import type { Shelf } from './shelf.ts';
import { baseName } from './subject.ts';

/** The rules of one effect, found by the program that they name. */
export interface RuleIndex {
  readonly size: number;
  /** Rules that may match a program of one of these paths or names; others surely do not. */
  find(program: Program, words: Words): Iterable<CompiledRule>;
}

export interface Program {
  readonly paths: readonly string[];
  readonly names: readonly string[];
  /** Also rules whose path ends in one of the names; for programs that have no path. */
  readonly byEnding: boolean;
}

export function indexRules(
  rules: readonly CompiledRule[],
  around: Pick<RuleSurroundings, 'platform'>,
): RuleIndex {
  const fold = ignoresCase(around.platform)
    ? (text: string) => text.toLowerCase()
    : (text: string) => text;
  const byPath = new Map<string, Shelf>();
  const byEnding = new Map<string, Shelf>();
  const byName = new Map<string, Shelf>();
  const pathGlobs = prefixIndex<CompiledRule>();
  const nameGlobs = prefixIndex<CompiledRule>();
  for (const compiled of rules) {
    const { literals } = compiled.pattern;
    if (literals === null) {
      const globs = compiled.isPath ? pathGlobs : nameGlobs;
      for (const prefix of new Set(compiled.pattern.prefixes)) globs.add(prefix, compiled);
    }
    for (const literal of literals ?? []) {
      put(shelfOf(compiled.isPath ? byPath : byName, literal), compiled);
      if (compiled.isPath) put(shelfOf(byEnding, baseName(literal)), compiled);
    }
  }
  return {
    size: rules.length,
    *find(program, words) {
      const names = program.names.map(fold);
      const paths = program.paths.map(fold);
      // A program without a path may still be meant by a pattern for every path.
      for (const path of paths.length === 0 ? [''] : distinct(paths)) yield* pathGlobs.find(path);
      for (const name of distinct(names)) yield* nameGlobs.find(name);
      yield* pick(byPath, paths, words);
      yield* pick(byName, names, words);
      if (program.byEnding) yield* pick(byEnding, names, words);
    },
  };
}

function shelfOf(shelves: Map<string, Shelf>, key: string): Shelf {
  let shelf = shelves.get(key);
  if (shelf === undefined) shelves.set(key, (shelf = emptyShelf()));
  return shelf;
}

function* pick(
  shelves: ReadonlyMap<string, Shelf>,
  keys: readonly string[],
  words: Words,
): Iterable<CompiledRule> {
  for (const key of distinct(keys)) {
    const shelf = shelves.get(key);
    if (shelf !== undefined) yield* candidates(shelf, words);
  }
}

function distinct(keys: readonly string[]): readonly string[] {
  return keys.length < 2 ? keys : [...new Set(keys)];
}
