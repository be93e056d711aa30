import { beforeAll, describe, expect, it } from 'vitest';
import type { Analysis } from '../../../shared/engine/plan/types.ts';
import { analyserOn } from '../../support/machine.ts';
import { cwd } from '../../support/stages.ts';

/** First lines of scripts, and the interpreter that a kernel would start; null: it is not certain. */
const lines: readonly (readonly [line: string, interpreter: string | null])[] = [
  ['#!/usr/bin/bash\n', '/usr/bin/bash'],
  ['#! /usr/bin/bash -e\n', '/usr/bin/bash'],
  ['#!/usr/bin/bash', '/usr/bin/bash'],
  ['#!/usr/bin/env node\n', '/usr/bin/node'],
  ['#!/usr/bin/env -S node --x\n', '/usr/bin/node'],
  ['#!/usr/bin/env -S sh -c\n', '/usr/bin/sh'],
  ['#!/usr/bin/bash\r\n', '/usr/bin/bash\r'],
  ['#!./interpreter\n', null],
  ['#!interpreter\n', null],
  [`#!${cwd}/interpreter\n`, null],
  ['#!/tmp/interpreter\n', null],
  ['#!/usr/bin/env ./interpreter\n', null],
  ['#!/usr/bin/env nowhere\n', null],
  ['#!/usr/bin/env -Sinterpreter node\n', null],
  ['#!/usr/bin/env -S PATH=/tmp node\n', null],
  ['#!/usr/bin/env -S -C /tmp ./node\n', null],
  ['#!/usr/bin/env -i node\n', null],
];

let analyse: (command: string) => Analysis;

beforeAll(async () => {
  analyse = await analyserOn({
    ...Object.fromEntries(lines.map(([line], index) => [`${cwd}/script${index}`, line])),
    [`${cwd}/interpreter`]: '\u007fELF',
    '/tmp/interpreter': '\u007fELF',
  });
});

describe('the first line of a script', () => {
  it.each(lines.map(([line, interpreter], index) => [line, interpreter, index] as const))(
    '%j names %s',
    (_, interpreter, index) => {
      const analysis = analyse(`./script${index}`);
      const stage = analysis.ok ? analysis.plan.stages[0] : undefined;
      expect(stage?.trust.level).toBe(interpreter === null ? 'never' : 'named');
      if (interpreter !== null) expect(stage?.executable).toMatchObject({ interpreter });
    },
  );
});
