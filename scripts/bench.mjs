// @ts-check
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { buildIfNeeded } from './lib/build.mjs';
import { installIfNeeded } from './lib/install.mjs';
import { requireNode } from './lib/node-version.mjs';
import { root } from './lib/root.mjs';
import { runTool } from './lib/run.mjs';

requireNode();
await installIfNeeded();
await buildIfNeeded();
// What a call costs in each agent's own program: `npm run bench -- --agents`, with what the cache has.
if (process.argv.includes('--agents'))
  process.exitCode = await runTool(
    'vitest/vitest.mjs',
    ['run', '--reporter=dot', 'test/agents/latency.test.ts'],
    { INTERLOCK_MEASURE_AGENTS: '1' },
  );
else await import(pathToFileURL(join(root, 'dist', 'test', 'bench', 'main.js')).href);
