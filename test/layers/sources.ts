import { readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const root = resolve(import.meta.dirname, '../..');
const products = ['shared', 'runner', 'app', 'demo', 'scripts', 'assets'];
const extensions = /\.(?:ts|tsx|mts|cts|js|mjs|css|c|h)$/u;

export interface Source {
  /** Relative to the checkout, with `/`. */
  readonly path: string;
  readonly text: string;
  readonly lines: number;
}

/** All that is written here, product and tests. */
export const sources = [...products, 'test', 'e2e'].flatMap(sourcesBelow);
/** What is shipped, built or run to build it. */
export const product = sources.filter(({ path }) =>
  products.some((folder) => path.startsWith(`${folder}/`)),
);

function sourcesBelow(folder: string): readonly Source[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => extensions.test(name) && !name.includes('fixtures'))
    .map((name) => {
      const path = `${folder}/${name}`;
      const text = readFileSync(join(root, path), 'utf8');
      return { path, text, lines: text.split('\n').length - 1 };
    });
}
