import { beforeAll, describe, expect, it } from 'vitest';
import type { Analysis } from '../../../shared/engine/plan/types.ts';
import { propose } from '../../../shared/engine/proposals/propose.ts';
import { decide } from '../../../shared/engine/decide/decide.ts';
import { analyserOn } from '../../support/machine.ts';
import { allow, inputFor } from '../../support/stages.ts';

let analyse: (command: string) => Analysis;

beforeAll(async () => {
  analyse = await analyserOn();
});

const tsc = ['tsc', '...'];
const pytest = ['-m', 'pytest', '...'];

describe('a rule that names what a runner runs, and leaves the rest open', () => {
  it.each([
    ['npx', tsc, 'npx tsc'],
    ['npx', tsc, 'npx tsc --noEmit -p src'],
    ['npx', ['--yes', 'tsc', '...'], 'npx --yes tsc --noEmit'],
    ['npx', [['tsc', 'eslint'], '...'], 'npx eslint src'],
    ['npx', ['tsc', '-p', '...'], 'npx tsc -p src'],
    ['python3', pytest, 'python3 -m pytest -q test/a.py'],
    ['uv', ['run', 'pytest', '...'], 'uv run pytest -q'],
    ['xargs', ['wc', '...'], 'xargs wc -l'],
    ['xargs', ['-0', 'stat', '...'], 'xargs -0 stat -c %s'],
    ['xargs', ['-I', '{}', 'ls', '...'], 'xargs -I {} ls {}'],
  ])('%s %j covers %s', (name, args, command) => {
    const input = inputFor(analyse(command), { rules: [allow(name, args)] });
    expect(decide(input).decision).toBe('allow');
  });

  it.each([
    ['npx', ['...'], 'npx tsc'],
    ['xargs', ['...'], 'xargs wc -l'],
    ['xargs', ['wc', '...'], 'xargs grep x'],
    ['xargs', ['-0', '...'], 'xargs -0 wc -l'],
    ['xargs', ['rm', '...'], 'xargs rm -f'],
    ['xargs', ['-0', 'grep', '...'], 'xargs -0 grep -l needle'],
    ['xargs', ['-I', '{}', 'cat', '...'], 'xargs -I {} cat {}'],
    ['xargs', ['sort', '...'], 'xargs sort'],
    ['xargs', ['./wc', '...'], 'xargs ./wc'],
    ['xargs', ['env', '...'], 'xargs env wc'],
    ['xargs', ['wc', '...'], 'xargs wc < /etc/passwd'],
    ['xargs', ['wc', '...'], 'xargs wc *.txt'],
    ['npx', ['*', '...'], 'npx tsc --noEmit'],
    ['npx', tsc, 'npx eslint .'],
    ['npx', tsc, 'npx tsc -c "rm x"'],
    ['npx', tsc, 'npx tsc src/*.ts'],
    ['npx', tsc, 'npx tsc < /etc/passwd'],
    ['npx', tsc, 'npx tsc --project /tmp/evil'],
    ['npx', ['-p', 'evil', 'tsc', '...'], 'npx -p evil tsc --noEmit'],
    ['npx', ['--registry', 'http://x', '...'], 'npx --registry http://x evil'],
    ['npx', ['tsx', '...'], 'npx tsx evil.ts'],
    ['npx', ['tsx@latest', '...'], 'npx tsx@latest evil.ts'],
    ['npx', ['node', '...'], 'npx node -e "x()"'],
    ['npx', ['timeout', '...'], 'npx timeout 5 rm x'],
    ['npx', ['./evil', '...'], 'npx ./evil now'],
    ['npm', ['exec', 'tsc', '...'], 'npm exec tsc --noEmit'],
    ['python3', ['-m', '...'], 'python3 -m pytest -q'],
    ['python3', pytest, 'python3 -m pytest -p evil'],
    ['python3', ['-m', 'timeit', '...'], 'python3 -m timeit "x()"'],
    ['python3', ['-X', 'dev', '...'], 'python3 -X dev -m pytest'],
    ['python3', ['gen.py', '...'], 'python3 gen.py a'],
    ['uv', ['run', 'python', '...'], 'uv run python -c "x()"'],
    ['uv', ['run', '--with', '...'], 'uv run --with evil pytest'],
  ])('%s %j does not cover %s', (name, args, command) => {
    const input = inputFor(analyse(command), { rules: [allow(name, args)] });
    expect(decide(input).decision).toBe('ask');
  });

  it.each([
    ['npx tsc --noEmit', ['exact', 'subcommand']],
    ['npx tsx a.ts', ['exact']],
    ['npx --registry http://x tsc a', []],
    ['npm exec tsc a', ['exact', 'subcommand']],
    ['npm exec tsc a --package=evil', []],
  ])('is offered for %s as %j', (command, scopes) => {
    const input = inputFor(analyse(command), { request: { command } });
    expect(propose(input, decide(input)).map(({ scope }) => scope)).toEqual(scopes);
  });
});

describe('what the shell does itself needs no rule', () => {
  it.each(['read -r x', 'test -f a.txt', 'while read -r x; do echo "$x"; done < a.txt'])(
    'also where it takes in a file: %s',
    (command) => {
      expect(decide(inputFor(analyse(command), { rules: [] })).decision).toBe('allow');
    },
  );

  it.each([
    'read -r x < .env',
    'while read -r x; do echo "$x"; done < .env',
    'until false; do read -r x; break; done < ~/.ssh/id_rsa',
    '{ read -r x; echo "$x"; } < .env',
    'if true; then read -r x; fi < .env',
    'test -f a.txt < .env',
  ])('and is asked about where that is a secret: %s', (command) => {
    expect(decide(inputFor(analyse(command), { rules: [] })).decision).toBe('ask');
  });
});
