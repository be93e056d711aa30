import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PolicyDocument } from '../../../shared/engine/policy/types.ts';
import { cli, temporaryHome } from './support.ts';

let place: ReturnType<typeof temporaryHome>;
beforeEach(async () => {
  place = temporaryHome();
  await cli({ home: place.home }, 'init');
});
afterEach(() => place.remove());

const policyText = (): string => readFileSync(join(place.home, 'exec-approvals.json'), 'utf8');
const importFile = async (...args: readonly string[]) =>
  cli({ home: place.home }, 'approvals', 'import', ...args);

function settingsFile(permissions: object, folder = place.folder): string {
  mkdirSync(join(folder, '.claude'), { recursive: true });
  const file = join(folder, '.claude', 'settings.json');
  writeFileSync(file, JSON.stringify({ permissions }));
  return file;
}

describe('interlock approvals import', () => {
  it('takes the rules of a project of Claude Code, for that folder only', async () => {
    const project = join(place.folder, 'project');
    const file = settingsFile({ allow: ['Bash(ls:*)'], deny: ['Bash(rm:*)'] }, project);
    const { exitCode, out } = await importFile(file, '--agent', '*');
    expect(exitCode).toBe(0);
    expect(out).toContain('Added 2 rules; 0 were there already.');
    const { agents } = JSON.parse(policyText()) as PolicyDocument;
    expect(agents?.['*']?.allowlist).toMatchObject([
      { effect: 'deny', pattern: 'rm', cwd: `${project}/**`, source: 'import' },
      { effect: 'allow', pattern: 'ls', cwd: `${project}/**`, source: 'import' },
    ]);
  });

  it('adds nothing when a denial would be lost, unless told to', async () => {
    const file = settingsFile({ allow: ['Bash(ls:*)'], deny: ['Bash($X)'] });
    const before = policyText();
    const refused = await importFile(file);
    expect(refused.exitCode).toBe(125);
    expect(refused.err).toContain('Nothing was added');
    expect(policyText()).toBe(before);
    expect((await importFile(file, '--partial')).out).toContain('Added 1 rules');
  });

  it('shows with --dry-run what it would do, as JSON too', async () => {
    const file = join(place.folder, 'team.rules');
    writeFileSync(file, 'prefix_rule(pattern=["ls"], decision="prompt")');
    const before = policyText();
    const { out } = await importFile(file, '--dry-run', '--json');
    expect(JSON.parse(out)).toMatchObject({
      format: 'codex',
      rules: [{ agent: 'codex', rule: { effect: 'ask', pattern: 'ls' }, duplicate: false }],
    });
    expect(policyText()).toBe(before);
  });

  it.each([
    ['nothing known', 'hello'],
    ['a program', 'prefix_rule(pattern=["a"])\nx = 1'],
  ])('refuses a file with %s', async (_what, text) => {
    const file = join(place.folder, 'file');
    writeFileSync(file, text);
    const { exitCode, err } = await importFile(file);
    expect(exitCode).not.toBe(0);
    expect(err).toContain('was not imported');
  });
});
