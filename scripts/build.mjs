// @ts-check
import { build } from './lib/build.mjs';
import { installIfNeeded } from './lib/install.mjs';
import { requireNode } from './lib/node-version.mjs';

requireNode();
await installIfNeeded();
await build();
