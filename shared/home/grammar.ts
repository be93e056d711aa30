import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { createAnalyser } from '../engine/index.ts';
import type { Analyser, GrammarParser } from '../engine/index.ts';

/**
 * The bash grammar as a parser. The wasm comes with its npm package; it is read once. Rejects when
 * the files are missing or damaged, and the caller then has no analyser: nothing may be allowed.
 */
export async function loadGrammar(): Promise<GrammarParser> {
  // Loaded here: most programs that come this way never parse.
  const { Language, Parser } = await import('web-tree-sitter');
  await Parser.init();
  const wasm = fileURLToPath(import.meta.resolve('tree-sitter-bash/tree-sitter-bash.wasm'));
  const language = await Language.load(new Uint8Array(await readFile(wasm)));
  return new Parser().setLanguage(language);
}

let loading: Promise<Analyser> | undefined;

/** The analyser of this process; loaded at the first call, tried again after a failure. */
export function loadAnalyser(): Promise<Analyser> {
  loading ??= loadGrammar().then(createAnalyser);
  loading.catch(() => {
    loading = undefined;
  });
  return loading;
}
