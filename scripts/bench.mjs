// @ts-check
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { buildIfNeeded } from './lib/build.mjs';
import { installIfNeeded } from './lib/install.mjs';
import { requireNode } from './lib/node-version.mjs';
import { root } from './lib/root.mjs';
import { requireSuccess, runTool } from './lib/run.mjs';

requireNode();
await installIfNeeded();
await buildIfNeeded();
requireSuccess(
  await runTool('typescript/bin/tsc', ['-b', 'test/bench']),
  'The benchmarks do not compile: the compiler says why above.',
);
await import(pathToFileURL(join(root, 'dist', 'test', 'bench', 'main.js')).href);
