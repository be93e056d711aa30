import { beforeAll, describe, expect, it } from 'vitest';
import type { Analysis } from '../../../shared/engine/plan/types.ts';
import { analyserOn } from '../../support/machine.ts';
import { cwd } from '../../support/stages.ts';

let analyse: (command: string) => Analysis;
beforeAll(async () => {
  analyse = await analyserOn({
    [`${cwd}/src/a.ts`]: 'x',
    [`${cwd}/src/b.ts`]: 'x',
    [`${cwd}/old/c.py`]: 'x',
    '/proc/cpuinfo': 'processor\t: 0\nprocessor\t: 1\nprocessor\t: 2\n',
  });
});

const shown = (command: string): string => {
  const found = analyse(command);
  return found.ok ? found.plan.canonical : `opaque: ${found.reason}`;
};

describe('what a command says is told before it runs', () => {
  it.each([
    ['make -j$(nproc) test', "'-j3' 'test'"],
    ['ls -l $(which node) $(command -v git)', "'-l' '/usr/bin/node' '/usr/bin/git'"],
    ['wc -l $(readlink -f /usr/bin/node)', "'/usr/bin/node'"],
    ['find src -name \'*.ts\' | while read -r f; do head -n 1 "$f"; done', "'src/a.ts'"],
    ['ls src | while read f; do echo "$f"; done | sort', 'for f in'],
  ])('%s', (command, part) => {
    expect(shown(command)).toContain(part);
  });

  it.each([
    'make -j$(cat n) test',
    'ls $(which x y)',
    'ls $(which -a node)',
    'touch src/d.ts; ls $(which node)',
    'curl -s https://example.com | while read -r f; do head -n 1 "$f"; done',
    'find src -name \'*.ts\' | while IFS=, read -r f g; do head -n 1 "$f"; done',
  ])('and left alone where it is not known: %s', (command) => {
    const found = analyse(command);
    const never = found.ok && found.plan.stages.some(({ trust }) => trust.level === 'never');
    expect(!found.ok || never || !/for f in|usr\/bin\/node/.test(shown(command))).toBe(true);
  });
});

describe('numbers that only the shell knows', () => {
  it.each([
    ['sleep 5 & kill $!', 'kill "$!"'],
    ['sleep 5 & P=$!; kill -TERM $P; wait $P', `kill '-TERM' "$P"`],
    ['ls | wc -l; echo "EXIT: ${PIPESTATUS[0]}"', '"${PIPESTATUS[0]}"'],
    ['a=$(date +%s); b=$(date +%s); echo "$((b - a))s"', '"$((b - a))"'],
    ['x=$(pwd -P); echo "${x##*/}"', 'opaque: builtin'],
    ['x=$(git log -1 --format=%s); echo "${x##*/} ${#x}"', '"${x##*/}"'],
    ['echo $JAVA_HOME "$SHELL"', 'echo $JAVA_HOME "$SHELL"'],
  ])('%s', (command, part) => {
    expect(shown(command)).toContain(part);
  });

  it.each([
    'kill $$',
    'sleep 5 & kill $! 1',
    'x=$?; kill $x',
    'sleep 5 & P=$!; P=1; kill $P -9 $?',
    'echo $TOKEN',
    'echo $(git log -1 --format=%s)',
    'x=$(cat a); echo $((x))',
    'x=$(date +%s; id); echo $((x))',
    'ls $GOPATH',
    '$JAVA_HOME/bin/java',
    'echo -e $(git log)',
    "bash -c 'kill $!'",
  ])('are no other words: %s', (command) => {
    const found = analyse(command);
    const isNumber =
      found.ok && found.plan.stages.every(({ executable }) => executable.kind === 'builtin');
    expect(isNumber).toBe(false);
  });
});

describe('variables that hold options', () => {
  it.each([
    ['NODE_OPTIONS=--max-old-space-size=4096', true],
    ["RUSTFLAGS='-C target-cpu=native -D warnings'", true],
    ['GORACE=halt_on_error=1', true],
    ['NODE_OPTIONS=--require=./x.js', false],
    ["NODE_OPTIONS='--no-warnings --import ./x.mjs'", false],
    ["RUSTFLAGS='-C linker=./x'", false],
    ['GORACE=log_path=/etc/x', false],
    ['GOFLAGS=-toolexec=./x', false],
  ])('%s', (set, may) => {
    expect(analyse(`${set} npm test`).ok).toBe(may);
  });
});
