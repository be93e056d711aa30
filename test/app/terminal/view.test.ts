import { describe, expect, it, test } from 'vitest';
import { ansiLine, lineWidth, piece, wrap } from '../../../app/terminal/line.ts';
import type { Line } from '../../../app/terminal/line.ts';
import type { ScreenState } from '../../../app/terminal/screen-state.ts';
import { takeState } from '../../../app/terminal/reduce.ts';
import { viewScreen } from '../../../app/terminal/view.ts';
import type { Ask } from '../../../shared/engine/ask.ts';
import type { AppState } from '../../../app/bridge/types.ts';
import { queuedAsk } from '../../support/queued-ask.ts';
import { appState, later, press, screenWith, start } from './support.ts';

const plainText = (line: Line): string => line.map(({ text }) => text).join('');

const sizes = [
  [40, 20],
  [20, 6],
  [80, 24],
  [200, 50],
] as const;

function seen(state: ScreenState, columns = 80, rows = 40, now = later): string[] {
  return viewScreen(state, { columns, rows, now }).map(plainText);
}

const hostile: Partial<Ask> = {
  command: `rm -rf ~\u001B[2J\u202Egnp.exe\u0007\n${'界'.repeat(500)}\t${'x'.repeat(5_000)}`,
  agent: '\u001B]0;title\u0007',
  why: 'because\u001B[31m',
  statedReason: '\u200Bhidden\u202E',
  cwd: '/tmp/\u009B31m',
  env: [{ name: 'LD_PRELOAD', value: '\u001Bc', unsafe: true }],
};

test('what a node asks has its name in the title, in the list, and in a line of its own', () => {
  const node = { id: 'c4'.repeat(32), name: 'build machine' };
  const rows = seen(screenWith(queuedAsk({ node }), queuedAsk({ id: 'here' })), 100);
  expect(rows.join('\n')).toContain('claude (build machine) wants to run · 1 of 2');
  expect(rows.filter((row) => row.includes('claude (build machine)  git status'))).toHaveLength(1);
  expect(rows.join('\n')).toMatch(/node build machine \(c4c4c4c4c4c4c4c4\) asks, and says all of/u);
});

test('the use of a tool is shown with its file and every line of its diff', () => {
  const ask = queuedAsk({
    kind: 'edit',
    command: 'Edit a.ts',
    detail: { form: 'diff', text: '-old\u001B[2J\n+new' },
    stages: [
      {
        argv: ['Edit', '/src/a.ts'],
        resolvedPath: null,
        program: 'tool',
        via: [],
        cwd: '/src',
        writes: [],
        why: '',
        span: null,
      },
    ],
  });
  const text = seen(screenWith(ask)).join('\n');
  expect(text).toMatch(/ {2}-old.*\n.* {2}\+new/);
  expect(text).toContain('/src/a.ts');
  expect(text).not.toContain('\u001B');
});

describe('the screen', () => {
  const screens: readonly (readonly [string, ScreenState])[] = [
    ['no ask', screenWith()],
    ['one ask', screenWith(queuedAsk())],
    ['many asks', screenWith(...Array.from({ length: 30 }, (_, n) => queuedAsk({ id: `${n}` })))],
    ['a hostile ask', screenWith(queuedAsk(hostile), queuedAsk({ ...hostile, id: '2' }))],
    ['a note', press(screenWith(queuedAsk()), ['n', ...Array.from('long '.repeat(40))]).state],
    ['help', press(screenWith(queuedAsk()), ['?']).state],
    ['lockout', press(screenWith(queuedAsk()), ['L']).state],
  ];
  for (const [columns, rows] of sizes) {
    it.each(screens)(`fits ${columns} by ${rows}: %s`, (_name, state) => {
      const lines = viewScreen(state, { columns, rows, now: later });
      expect(lines).toHaveLength(rows);
      expect(Math.max(...lines.map(lineWidth))).toBeLessThanOrEqual(columns);
    });
  }

  it.each(screens)('lets no control or invisible character through: %s', (_name, state) => {
    const text = seen(state, 60, 400).join('');
    expect(text).not.toMatch(/[\p{Cc}\u200B\u202E]/u);
  });

  it('shows the whole ask on a phone', () => {
    const text = seen(screenWith(queuedAsk({ expiresAt: start + 42_000 })), 40, 20, start).join(
      '\n',
    );
    for (const part of [
      'claude wants to run · 1 of 1 · 0:42 left',
      '$ git status -s | head -3',
      '! Installs.',
      'in /home/me/src',
      'why No rule covers this command.',
      'agent says to clean up',
      'runs /usr/bin/git',
      'sets CI=1',
      'asked by node (42)',
      'd deny',
      'a allow',
    ]) {
      expect(text).toContain(part);
    }
  });

  it('shows every character of a long command, page by page, and says that more follows', () => {
    const command = Array.from({ length: 400 }, (_, n) => `word${n}`).join(' ');
    let state = screenWith(queuedAsk({ command }));
    const pages: string[] = [];
    for (let page = 0; page < 40; page += 1) {
      pages.push(...seen(state, 40, 20));
      state = press(state, [' ']).state;
    }
    expect(seen(screenWith(queuedAsk({ command })), 40, 20).join()).toContain('more rows: Space');
    const shown = pages.join(' ').replaceAll(/\s+/g, '');
    for (let n = 0; n < 400; n += 1) expect(shown).toContain(`word${n}`);
  });

  it('counts down by the clock of the host', () => {
    const state = takeState(
      screenWith(),
      appState([queuedAsk({ expiresAt: start + 60_000 })], { now: start }),
      5_000,
    );
    expect(seen(state, 80, 24, 20_000).join()).toContain('0:45 left');
  });

  it('marks the words that caused a finding', () => {
    const state = screenWith(
      queuedAsk({
        command: 'sudo rm -rf / # 界',
        risk: {
          level: 'high',
          findings: [
            { code: 'recursive-delete', level: 'high', text: 'x', spans: [{ start: 5, end: 11 }] },
          ],
        },
      }),
    );
    const line = viewScreen(state, { columns: 80, rows: 24, now: later }).find((candidate) =>
      plainText(candidate).startsWith('$ sudo'),
    );
    expect(line?.filter(({ look }) => look === 'danger')).toEqual([piece('rm -rf', 'danger')]);
  });

  const modes: readonly (readonly [string, Partial<AppState>, readonly string[]])[] = [
    ['no runner', { runner: null }, ['runner gone', 'The runner is not connected']],
    [
      'a lock',
      { runner: null, stop: { mode: 'locked', reason: 'phone' } },
      ['LOCKED OUT', 'Everything is locked out: phone'],
    ],
    [
      'an invalid policy',
      {
        policy: {
          hash: '',
          problem: { code: 'config-invalid', message: 'It is not JSON.', hint: '' },
        },
      },
      ['Policy: It is not JSON. Everything is denied.'],
    ],
    [
      'missed asks',
      { missed: [{ ask: queuedAsk().ask, reason: 'expired', at: start }] },
      ['Missed', 'Time ran out  git status -s | head -3'],
    ],
  ];
  it.each(modes)('tells of %s', (_name, change, parts) => {
    const state = takeState(screenWith(), appState([], change), later);
    const text = seen(state).join('\n');
    for (const part of parts) expect(text).toContain(part);
  });

  it('offers nothing to remember for a high risk', () => {
    const risky = queuedAsk({ risk: { level: 'high', findings: [] } });
    const text = seen(screenWith(risky)).join('\n');
    expect(text).toContain('a allow…');
    expect(text).not.toContain('remember');
    expect(seen(press(screenWith(risky), ['a']).state).join('\n')).toContain('Type "yes"');
  });
});

describe('wrapping', () => {
  it('loses nothing at the edge', () => {
    const text = 'ab  cd 界界 efg';
    const rows = wrap([piece(text)], { width: 4 });
    expect(rows.map(plainText).join('')).toBe(text);
    expect(Math.max(...rows.map(lineWidth))).toBeLessThanOrEqual(4);
  });

  it('breaks sentences between words', () => {
    const rows = wrap([piece('one two three four')], { width: 9, words: true });
    expect(rows.map((row) => plainText(row).trimEnd())).toEqual(['one two', 'three', 'four']);
  });
});

describe('looks', () => {
  it('end where they began, with colours and without', () => {
    const line = [piece('a'), piece('b', 'danger')];
    expect(ansiLine(line, { colours: true })).toBe('a\u001B[1;31mb\u001B[0m');
    expect(ansiLine(line, { colours: false })).toBe('a\u001B[1;4mb\u001B[0m');
  });
});
