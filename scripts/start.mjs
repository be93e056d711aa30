// @ts-check
import { buildIfNeeded } from './lib/build.mjs';
import { installIfNeeded } from './lib/install.mjs';
import { offerLink } from './lib/link-command.mjs';
import { requireNode } from './lib/node-version.mjs';
import { become } from './lib/program.mjs';

requireNode();
await installIfNeeded();
await buildIfNeeded();
await offerLink();
await become('runner/cli/main.js', ['up', ...process.argv.slice(2)]);
