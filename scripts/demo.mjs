// @ts-check
import { requireNode } from './lib/node-version.mjs';
import { become } from './lib/program.mjs';

requireNode();
await become('demo/main.js', process.argv.slice(2));
