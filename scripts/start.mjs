// @ts-check
import { requireNode } from './lib/node-version.mjs';
import { become } from './lib/program.mjs';

requireNode();
await become('runner/cli/main.js', ['up', ...process.argv.slice(2)]);
