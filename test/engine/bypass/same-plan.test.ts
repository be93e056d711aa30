import { beforeAll, describe, expect, it } from 'vitest';
import type { Analysis } from '../../../shared/engine/plan/types.ts';
import { analyserOn } from '../../support/machine.ts';
import { allow, cwd, verdictOn } from '../../support/stages.ts';

const hash = 'a'.repeat(64);
const files = ['run.sh', 'x.sh', 'x.py', 'tool'];

let analyse: (command: string) => Analysis;

beforeAll(async () => {
  analyse = await analyserOn(
    Object.fromEntries(files.map((name) => [`${cwd}/${name}`, '#!/bin/sh\n'])),
  );
});

/** Every script and program is named by its path and its hash, with just these arguments. */
const rules = [
  ...['cp', 'curl', 'tee', 'mv', 'mkdir', 'cat', 'ls'].map((name) => allow(name, ['...'])),
  ...files.map((name) => allow(`${cwd}/${name}`, [], { sha256: hash })),
  allow('python3', ['x.py'], { sha256: hash }),
  allow('bash', ['x.sh'], { sha256: hash }),
  allow('xargs', ['./tool']),
  allow('xargs', ['./later']),
  allow('sudo', ['./tool']),
  allow('find', ['.', '-exec', './tool', '{}', '+']),
];
const hashes = Object.fromEntries(files.map((name) => [`${cwd}/${name}`, hash]));

function decision(command: string): string {
  return verdictOn(analyse(command), { rules, hashes, request: { command } }).decision;
}

describe('what one part of a command writes and a later part runs', () => {
  it.each([
    './run.sh',
    'python3 x.py',
    'bash x.sh',
    'timeout 5 ./run.sh',
    'ls && ./run.sh',
    'ls && python3 x.py',
    'xargs ./tool',
    'find . -exec ./tool {} +',
  ])('runs when nothing before it writes: %s', (command) => {
    expect(decision(command)).toBe('allow');
  });

  it.each([
    'cp a run.sh && ./run.sh',
    'cp a run.sh; timeout 5 ./run.sh',
    'cat a > run.sh && ./run.sh',
    'curl -o x.py https://x && python3 x.py',
    'curl -s https://x | tee x.sh; bash x.sh',
    'mv a x.py && timeout 9 python3 x.py',
    'cp a tool && xargs ./tool',
    'cp a later && xargs ./later',
    'cp a tool && sudo ./tool',
    'cp a tool && find . -exec ./tool {} +',
    '(cp a run.sh); ./run.sh',
    "bash -c 'cp a run.sh && ./run.sh'",
    'cp a run.sh | ./run.sh',
  ])('is asked about, hash or no hash: %s', (command) => {
    expect(decision(command)).toBe('ask');
  });
});
