// @ts-check
import { spawnSync } from 'node:child_process';
import { root } from './lib/root.mjs';
import { runTool } from './lib/run.mjs';

/**
 * Whether all files are formatted. Prettier decides, and is asked only about the files that oxfmt would
 * lay out differently: oxfmt reads all of them in a second, Prettier in a minute and more.
 */

const { status, stdout, stderr, error } = spawnSync(
  process.execPath,
  ['node_modules/oxfmt/bin/oxfmt', '--list-different', '.'],
  { cwd: root, encoding: 'utf8' },
);
const different = stdout.split('\n').filter((name) => name !== '');
if (error !== undefined || status !== Number(different.length > 0)) {
  process.stderr.write(`${stderr}oxfmt could not look at the files.\n`);
  process.exitCode = 2;
} else if (different.length > 0)
  process.exitCode = await runTool('prettier/bin/prettier.cjs', ['--check', ...different]);
