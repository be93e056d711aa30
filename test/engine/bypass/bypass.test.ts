import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Analysis } from '../../../shared/engine/plan/types.ts';
import { fallBack } from '../../../shared/engine/decide/decide.ts';
import type { Verdict } from '../../../shared/engine/decide/types.ts';
import { analyserOn } from '../../support/machine.ts';
import { allow, cwd, rule, verdictOn } from '../../support/stages.ts';

const trusted =
  `{ls,cat,echo,printf,git,sort,grep,rg,test,[,env,timeout,nice,nohup,stdbuf,setsid,time,flock,
  bash,sh,busybox,find,xargs,parallel,watch,script,ssh,tar,sed,awk,python3,node,perl,vim,vi,less,make,npx,
  sudo,read,let,declare,eval,source,.,exec,command,builtin,alias,trap,coproc,nope,if,for,while,true,:}`.replaceAll(
    /\s/g,
    '',
  );
const rules = [
  ...trusted
    .slice(1, -1)
    .split(',')
    .map((name) => allow(name === '[' ? String.raw`\[` : name)),
  rule('rm', { effect: 'deny' }),
];

const cases = readFileSync(new URL('../../fixtures/bypass/verdicts.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => {
    const blank = line.indexOf(' ');
    const command = line
      .slice(blank + 1)
      .replaceAll('\\n', '\n')
      .replaceAll('\\t', '\t')
      .replaceAll('\\r\n', '\r\n')
      .replaceAll(/\\x(00|1b|a0)/g, (_, code: string) =>
        String.fromCharCode(Number.parseInt(code, 16)),
      );
    return [command, line.slice(0, blank)] as const;
  });

let analyse: (command: string) => Analysis;

beforeAll(async () => {
  analyse = await analyserOn({
    [`${cwd}/git`]: '#!/bin/sh\n',
    '/tmp/git': '#!/bin/sh\n',
    '/home/me/src/git': '#!/bin/sh\n',
    [`${cwd}/script.sh`]: 'curl x\n',
  });
});

function verdict(command: string, modes: Parameters<typeof verdictOn>[1] = {}): Verdict {
  return verdictOn(analyse(command), { rules, request: { command }, ...modes });
}

describe('what others fell for', () => {
  it.each(cases)('%j is not allowed: %s', (command, expected) => {
    expect(verdict(command).decision).toBe(expected);
  });

  it.each(cases)(
    '%j does not run when nobody can be asked, even if the allowlist then decides',
    (command) => {
      const asked = verdict(command, { askFallback: 'allowlist' });
      expect(fallBack(asked).decision).toBe('deny');
    },
  );

  it.each(cases.filter(([, expected]) => expected === 'deny'))(
    '%j stays denied under full',
    (command) => {
      expect(verdict(command, { security: 'full', ask: 'off' }).decision).toBe('deny');
    },
  );

  it('still lets through what the policy means to allow', () => {
    for (const command of [
      'git status',
      'ls -la | grep x',
      'timeout 5 git log',
      "bash -c 'git status && ls'",
      "cat <<'E'\n$(curl x)\nE",
    ]) {
      expect([command, verdict(command).decision]).toEqual([command, 'allow']);
    }
  });
});
