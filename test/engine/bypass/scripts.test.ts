import { beforeAll, describe, expect, it } from 'vitest';
import type { Analysis } from '../../../shared/engine/plan/types.ts';
import type { Rule } from '../../../shared/engine/policy/types.ts';
import { analyserOn } from '../../support/machine.ts';
import { allow, cwd, verdictOn } from '../../support/stages.ts';

const hash = 'a'.repeat(64);

let analyse: (command: string) => Analysis;

beforeAll(async () => {
  analyse = await analyserOn({
    [`${cwd}/x.py`]: 'print(1)\n',
    [`${cwd}/evil.py`]: 'print(2)\n',
    [`${cwd}/x.sh`]: 'echo\n',
    [`${cwd}/run`]: 'echo\n',
  });
});

/** Every file but the scripts that were looked at has another hash. */
function decision(command: string, rule: Rule): string {
  const hashes = { [`${cwd}/x.py`]: hash, [`${cwd}/x.sh`]: hash, [`${cwd}/run`]: hash };
  return verdictOn(analyse(command), { rules: [rule], hashes, request: { command } }).decision;
}

const script = allow('python3', ['x.py', '...'], { sha256: hash });
const anything = allow('python3', ['...'], { sha256: hash });

describe('a script that a rule names by its hash', () => {
  it.each(['python3 x.py', 'python3 x.py -v', 'python3 x.py --out a.txt b', 'python3 x.py -c 1'])(
    'may take any arguments: %s',
    (command) => {
      expect(decision(command, script)).toBe('allow');
    },
  );

  it.each([
    'python3 evil.py',
    'python3 -c 1 x.py',
    'python3 -m x.py',
    'python3 -X importtime x.py',
    'python3 ./x.py a',
    'python3 - x.py',
    'python3 x.py *',
    'python3 x.py < evil.py',
    'cp evil.py x.py && python3 x.py a',
  ])('is the only thing that the rule lets run: %s', (command) => {
    expect(decision(command, script)).toBe('ask');
  });

  it('is named first and written out', () => {
    expect(decision('python3 x.py a', anything)).toBe('ask');
    const behindOption = allow('bash', ['--rcfile', 'x.sh', '...'], { sha256: hash });
    expect(decision('bash --rcfile x.sh evil.py', behindOption)).toBe('ask');
    const command = allow('deno', ['run', '...'], { sha256: hash });
    expect(decision('deno run evil.py', command)).toBe('ask');
  });

  it('without a hash it is not covered, whatever the arguments', () => {
    expect(decision('python3 x.py a', allow('python3', ['x.py', '...']))).toBe('ask');
    expect(decision('python3 x.py a', allow('python3', ['x.py', 'a']))).toBe('ask');
  });
});
