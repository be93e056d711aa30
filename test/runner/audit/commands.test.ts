import { appendFileSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AuditRow } from '../../../runner/audit/rows.ts';
import { runCli } from '../../../runner/cli/program.ts';
import { homePaths } from '../../../shared/home/paths.ts';
import { cli, temporaryHome, testIo } from '../cli/support.ts';
import { decision, openHomeAudit, outcome } from './support.ts';

let place: ReturnType<typeof temporaryHome>;
beforeEach(async () => {
  place = temporaryHome();
  await cli({ home: place.home }, 'init');
});
afterEach(() => place.remove());

const day = 86_400_000;
const begin = Date.UTC(2026, 4, 10);
const paths = () => homePaths({ INTERLOCK_HOME: place.home });
const now = (): number => begin + 30 * day;
const audit = async (...args: readonly string[]) =>
  cli({ home: place.home, now }, 'audit', ...args);

async function write(...rows: readonly AuditRow[]): Promise<void> {
  const log = await openHomeAudit(paths());
  for (const row of rows)
    if (row.type === 'decision' || row.type === 'outcome') await log.durable(row);
    else log.append(row);
  await log.dispose();
}

const rows: readonly AuditRow[] = [
  decision('aaaaaaaa-1', { at: begin, command: 'git push origin', agent: 'claude' }),
  { type: 'starting', id: 'aaaaaaaa-1', at: begin },
  outcome('aaaaaaaa-1', { at: begin, exitCode: 7, durationMs: 12.4 }),
  decision('bbbbbbbb-2', {
    at: begin + day,
    agent: 'codex',
    command: '=1+cmd|calc "x", y\nforged row',
    decision: 'deny',
    code: 'policy-deny',
    reason: 'No rule covers it.',
  }),
  { type: 'note', at: begin + 20 * day, code: 'stop-switch', text: 'locked \u001b[31mred' },
  decision('cccccccc-3', { at: begin + 25 * day, command: 'git push --force', agent: 'codex' }),
];

describe('who answered', () => {
  it('stands in what a terminal shows and in an export, and draws on neither', async () => {
    const answers = [
      { said: 'yes', via: 'app', person: 'Ben\u001b[31m', passkey: 'blue' },
      { said: 'no', via: 'terminal' },
    ] as const;
    await write(decision('aaaaaaaa-1', { at: begin, command: 'git push', answers }));
    const said = 'yes by Ben⟨ESC[31m⟩ with the passkey "blue"; no at a terminal';
    expect((await audit('tail')).out).toContain(`$ git push  {${said}}`);
    const { out } = await audit('export', '--format', 'csv');
    expect(out).toContain(said.replaceAll('"', '""'));
  });
});

describe('interlock audit tail', () => {
  it('shows the newest rows, one a line, and nothing that could draw on a terminal', async () => {
    await write(...rows);
    const { out, exitCode } = await audit('tail', '-n', '5');
    expect(exitCode).toBe(0);
    const lines = out.trimEnd().split('\n');
    expect(lines.map((line) => line.trim().replace(/^\d+ {2}/u, ''))).toEqual([
      '2026-05-10T00:00:00Z  allow aaaaaaaa  claude  rule-allow  /srv/project  $ git push origin',
      '2026-05-10T00:00:00Z  ended aaaaaaaa  exit 7, 12 ms',
      '2026-05-11T00:00:00Z  deny  bbbbbbbb  codex  policy-deny  /srv/project  $ =1+cmd|calc "x", y⏎ forged row  (No rule covers it.)',
      '2026-05-30T00:00:00Z  note  stop-switch: locked ⟨ESC[31m⟩red',
      '2026-06-04T00:00:00Z  allow cccccccc  codex  rule-allow  /srv/project  $ git push --force',
    ]);
  });

  it('goes on with rows as they come, over the end of a month, until it is told to stop', async () => {
    await write(decision('first', { at: begin }));
    const world = testIo({ home: place.home, now });
    const ended = runCli(['audit', 'tail', '-f', '-n', '1', '--json'], world.io);
    await expect.poll(() => world.out()).toContain('"id":"first"');
    await write(decision('second', { at: begin }), decision('third', { at: Date.UTC(2031, 0, 1) }));
    await expect.poll(() => world.out()).toContain('"id":"third"');
    world.signal('SIGINT');
    expect(await ended).toBe(0);
    const ids = world
      .out()
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { readonly id?: string }).id);
    expect(ids).toEqual(['first', 'second', 'third']);
  });

  it('says what is wrong with a number', async () => {
    const { err, exitCode } = await audit('tail', '-n', 'many');
    expect([exitCode, err]).toEqual([125, expect.stringContaining('"many" is not a number')]);
  });
});

describe('interlock audit search', () => {
  const found = async (...args: readonly string[]): Promise<readonly string[]> => {
    const { out } = await audit('search', '--json', ...args);
    const { rows: hits } = JSON.parse(out) as { readonly rows: readonly Record<string, string>[] };
    return hits.map(({ id, code }) => id ?? code ?? '');
  };

  it.each([
    ['words', ['GIT', 'push'], ['aaaaaaaa-1', 'cccccccc-3']],
    ['words that JSON writes in another way', ['"x",'], ['bbbbbbbb-2']],
    ['words of a note', ['locked'], ['stop-switch']],
    ['an agent', ['--agent', 'codex'], ['bbbbbbbb-2', 'cccccccc-3']],
    ['a code', ['--code', 'policy-deny'], ['bbbbbbbb-2']],
    ['a decision', ['--decision', 'allow'], ['aaaaaaaa-1', 'cccccccc-3']],
    ['a begin', ['push', '--since', '2026-06-01'], ['cccccccc-3']],
    ['a begin before now', ['push', '--since', '6d'], ['cccccccc-3']],
    ['an end, the day whole', ['--until', '2026-05-11'], ['aaaaaaaa-1', 'bbbbbbbb-2']],
    ['a limit, the newest', ['push', '--limit', '1'], ['cccccccc-3']],
    ['nothing', ['no such thing'], []],
  ])('finds by %s', async (_name, args, ids) => {
    await write(...rows);
    expect(await found(...args)).toEqual(ids);
  });

  it('shows how a command ended', async () => {
    await write(...rows);
    const { out, err } = await audit('search', 'origin');
    expect(out).toContain('$ git push origin  [exit 7, 12 ms]\n');
    expect(err).toBe('');
    expect((await audit('search', 'nothing-like-it')).err).toBe('Nothing matches.\n');
  });

  it('says what is wrong with a time', async () => {
    const { err } = await audit('search', '--since', 'yesterday');
    expect(err).toContain('"yesterday" is not a time.');
  });
});

describe('interlock audit export', () => {
  it('prints CSV that a spreadsheet takes for text', async () => {
    await write(...rows);
    const { out } = await audit(
      'export',
      '--format',
      'csv',
      '--since',
      '2026-05-11',
      '--until',
      '2026-05-11',
    );
    expect(out.split('\r\n')).toEqual([
      expect.stringMatching(/^seq,time,type,id,agent,session,host,cwd,command,canonical,/u),
      expect.stringContaining(`,codex,,gateway,/srv/project,"'=1+cmd|calc ""x"", y\nforged row",`),
      '',
    ]);
  });

  it('prints every row as JSON', async () => {
    await write(...rows);
    const exported = JSON.parse((await audit('export')).out) as readonly Record<string, unknown>[];
    expect(exported.slice(-rows.length)).toEqual(
      rows.map((row) => ({ seq: expect.any(Number) as number, ...row })),
    );
    expect(JSON.parse((await audit('export', '--since', '2030-01-01')).out)).toEqual([]);
  });
});

describe('interlock audit verify', () => {
  const newest = (): string => {
    const { auditDirectory } = paths();
    const names = readdirSync(auditDirectory).filter((name) => name.endsWith('.jsonl'));
    return join(auditDirectory, names.toSorted().at(-1) ?? '');
  };

  it('says how many rows there are and where the chain stands', async () => {
    await write(...rows);
    const { out, exitCode } = await audit('verify', '--json');
    expect(exitCode).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ ok: true, rows: rows.length + 1, problems: [] });
    expect((await audit('verify')).out).toContain('The log is what was written: ');
  });

  it('finds a change and says where, and exits with 1', async () => {
    await write(...rows.slice(0, 4));
    writeFileSync(
      newest(),
      readFileSync(newest(), 'utf8').replace('git push origin', 'git push orphan'),
    );
    const { out, exitCode } = await audit('verify');
    expect(exitCode).toBe(1);
    expect(out).toMatch(/\.jsonl:\d+ {2}EDITED/u);
    expect(out).toContain('THE LOG IS NOT WHAT WAS WRITTEN');
  });

  it('works beside a runner that writes', async () => {
    const log = await openHomeAudit(paths());
    await log.durable(decision('a', { at: begin }));
    expect((await audit('verify')).exitCode).toBe(0);
    await log.dispose();
    appendFileSync(newest(), '{"half');
    expect((await audit('verify')).exitCode).toBe(1);
  });

  it('needs no log, and makes nothing', async () => {
    const { out, exitCode } = await audit('verify');
    expect([exitCode, out]).toEqual([0, 'The log is empty.\n']);
    expect((await cli({ home: join(place.folder, 'none') }, 'audit', 'verify')).exitCode).toBe(125);
  });
});
