import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { displayPlain } from '../../shared/base/index.ts';
import type { Analysis } from '../../shared/engine/plan/types.ts';
import { assess } from '../../shared/engine/risk/assess.ts';
import type { Risk } from '../../shared/engine/risk/finding.ts';
import { riskCodes } from '../../shared/engine/risk/finding.ts';
import { analyserOn } from '../support/machine.ts';
import { cwd, home } from '../support/stages.ts';

function linesOf(name: string): readonly string[] {
  const text = readFileSync(new URL(`../fixtures/risk/${name}`, import.meta.url), 'utf8');
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

const flagged = linesOf('flagged.txt').map((line) => {
  const blank = line.indexOf(' ');
  return [line.slice(blank + 1), line.slice(0, blank)] as const;
});
let analyse: (command: string) => Analysis;

beforeAll(async () => {
  analyse = await analyserOn();
});

function riskOf(command: string): Risk {
  return assess(analyse(command), { command, cwd }, { home });
}

describe('risk findings', () => {
  it.each(flagged)('%s is flagged as %s', (command, expected) => {
    const risk = riskOf(command);
    const found = risk.findings.map(({ code, level }) => `${code}:${level}`);
    expect(found).toContain(expected);
    for (const { text } of risk.findings) expect(text).toMatch(/^[A-Z].*\.$/s);
    if (expected.endsWith(':high')) expect(risk.level).toBe('high');
    else expect(risk.level, JSON.stringify(risk.findings)).toBe('low');
  });

  it.each(linesOf('harmless.txt'))('%s is not flagged', (command) => {
    expect(riskOf(command)).toEqual({ level: 'none', findings: [] });
  });

  it('cover every code in the table', () => {
    // What an advisor of the person's says is in no command.
    const codes = new Set(['advised-against', ...flagged.map(([, found]) => found.split(':')[0])]);
    expect(codes).toEqual(new Set(riskCodes));
  });

  it('name what would be hit', () => {
    const texts = (command: string) => riskOf(command).findings.map(({ text }) => text);
    expect(texts('cd src && rm -rf ../test')).toEqual([`Deletes everything below ${cwd}/test.`]);
    expect(texts('rm -rf ~/docs')).toEqual(['Deletes everything below /home/me/docs.']);
    expect(texts('rm -rf $X')).toEqual(['Deletes whatever $X stands for, with everything below.']);
  });

  it('are taken over for an analysis that comes again, and for no other request', () => {
    for (const command of ['rm -rf build', 'rm -rf "$(x)" ~/docs']) {
      const analysis = analyse(command);
      const first = assess(analysis, { command, cwd }, { home });
      expect(assess({ ...analysis }, { command, cwd }, { home })).toBe(first);
      const others: readonly Risk[] = [
        assess(analysis, { command, cwd, env: { LD_PRELOAD: './x.so' } }, { home }),
        assess(analysis, { command: `${command} \u202E`, cwd }, { home }),
        assess({ ...analysis, stages: [] } as unknown as Analysis, { command, cwd }, { home }),
      ];
      for (const other of others) expect(other).not.toBe(first);
      expect(others[0]?.findings).not.toEqual(first.findings);
      expect(others[1]?.findings).not.toEqual(first.findings);
    }
  });

  it('say one thing once where a folder is not known', () => {
    const texts = riskOf('for f in a b; do cd $f; done; rm -rf build').findings.map(
      ({ text }) => text,
    );
    expect(texts.filter((text) => text.startsWith('Deletes'))).toEqual([
      'Deletes everything below build.',
    ]);
  });

  it('say which folder dots stand for, which would read on into the full stop', () => {
    const texts = (command: string) => riskOf(command).findings.map(({ text }) => text);
    expect(texts('chmod -R 777 .')).toEqual([
      'Changes the permissions of everything below this folder.',
    ]);
    expect(texts('chmod -R 777 ..')).toContain(
      'Changes the permissions of everything below the folder above.',
    );
  });

  it('point at the words that caused them', () => {
    const command = 'git status && rm -rf ~/docs src';
    const spans = riskOf(command).findings.flatMap((finding) => finding.spans);
    expect(spans.map(({ start, end }) => command.slice(start, end))).toEqual(['~/docs', 'src']);
  });

  it('see characters that nobody else sees, in words and in text', () => {
    const text = 'ls \u202e x';
    expect(riskOf(text).findings.map(({ code, level }) => [code, level])).toContainEqual([
      'hidden-characters',
      'high',
    ]);
    const argv = ['ls', '\u200b'];
    expect(assess(analyse('ls'), { argv, cwd }, { home }).level).toBe('high');
  });

  it('name such characters so that the sentence reads the same where it is shown safely', () => {
    const [finding] = riskOf('cat ‹any›').findings;
    expect(finding?.text).toBe('Contains characters that look like others: ⟨U+2039⟩ ⟨U+203A⟩.');
    expect(displayPlain(finding?.text ?? '')).toBe(finding?.text);
  });

  it('see variables of the request', () => {
    const risk = assess(
      analyse('ls'),
      { command: 'ls', cwd, env: { NODE_OPTIONS: '--require x' } },
      { home },
    );
    expect(risk.findings.map(({ code }) => code)).toEqual(['loader-variable']);
  });
});
