// @ts-check
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { buildIfNeeded } from './lib/build.mjs';
import { installIfNeeded } from './lib/install.mjs';
import { requireNode } from './lib/node-version.mjs';
import { root } from './lib/root.mjs';

requireNode();
await installIfNeeded();
await buildIfNeeded();
await import(pathToFileURL(join(root, 'dist', 'test', 'vm', 'main.js')).href);
