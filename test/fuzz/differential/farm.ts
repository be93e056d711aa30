import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Surroundings } from '../../../shared/engine/plan/types.ts';
import { nodeFiles } from '../../../shared/home/machine.ts';
import { programs } from './words.ts';

/** A throw-away folder in which lines are run: stand-ins for programs, and a few files. */
export interface Farm {
  readonly root: string;
  readonly work: string;
  readonly env: Readonly<Record<string, string>>;
  readonly surroundings: Surroundings;
  readonly log: string;
  remove(): void;
}

/**
 * Real programs that lines may go through: they start others and do nothing else. `cat` turns a
 * heredoc into a word; a line that runs it in any other way is not run.
 */
const real = ['bash', 'sh', 'dash', 'env', 'timeout', 'nice', 'nohup', 'cat'];

/** Slow, for machines without a compiler; says less about standard input. */
const script = `#!/bin/sh
name="\${0##*/}"
if [ "$name" = collect ]; then
  for file in out/*; do
    [ -f "$file" ] || continue
    printf '%s\\0' "$STUB_LINE" collect '' '' "$(/bin/cat "$file")" "\${file#out/}" >>"$STUB_LOG"
    printf '\\002end\\0' >>"$STUB_LOG"
    /bin/rm -f "$file"
  done
  exit 0
fi
for word do shift; set -- "$@" "\${word#./}"; done
input=; [ -c /dev/stdin ] || input="$(/bin/cat)"
printf '%s\\0' "$STUB_LINE" "$name" "$(pwd -P)" "$FOO|$K1|$K2|$USER" "$input" "$@" "$(printf '\\002end')" >>"$STUB_LOG"
printf 'out %s %d\\n' "$name" "$(($# + 1))"
printf 'err %s\\n' "$name" >&2
`;

/** Makes a farm in a new temporary folder. */
export function makeFarm(): Farm {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'interlock-farm-')));
  const bin = join(root, 'bin');
  const work = join(root, 'work');
  const home = join(root, 'home');
  for (const directory of [bin, home, work, 'work/out', 'work/d1', 'work/d2/sub', 'work/here'])
    mkdirSync(directory.startsWith('/') ? directory : join(root, directory), { recursive: true });
  for (const file of ['a.txt', 'b.c', 'c.c', 'x1', 'd1/b.txt', 'd2/z'])
    writeFileSync(join(work, file), `${file}\n`);
  const stub = join(root, 'stub');
  buildStub(stub);
  for (const name of [...programs, 'collect']) linkSync(stub, join(bin, name));
  for (const name of programs) linkSync(stub, join(work, 'here', name));
  for (const name of real) {
    const found = ['/bin', '/usr/bin']
      .map((directory) => join(directory, name))
      .find((path) => existsSync(path));
    if (found !== undefined) symlinkSync(found, join(bin, name));
  }
  const variables = { HOME: home, USER: 'ann', TEXT: 'two  words *', EMPTY: '' };
  const log = join(root, 'log');
  return {
    root,
    work,
    log,
    env: { ...variables, PATH: bin, STUB_LOG: log, LC_ALL: 'C.UTF-8' },
    surroundings: {
      files: nodeFiles(),
      platform: process.platform === 'darwin' ? 'darwin' : 'linux',
      uid: process.getuid?.() ?? 0,
      path: [bin],
      trustedDirectories: [bin, '/usr/bin', '/bin'],
      home,
      workspaces: [],
      variables,
      shell: realpathSync('/bin/bash'),
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

function buildStub(path: string): void {
  const source = new URL('./stub.c', import.meta.url).pathname;
  try {
    execFileSync('cc', ['-O1', '-o', path, source], { stdio: 'ignore' });
  } catch {
    writeFileSync(path, script);
    chmodSync(path, 0o755);
  }
}
