import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { readConfigFile } from '../../shared/home/config-file.ts';
import {
  changeTrustedProjects,
  readProjectFile,
  trustStateOf,
  trustedProjectsBeside,
} from '../../shared/home/trusted-projects.ts';
import { projectChecks } from '../../shared/operations/health/projects.ts';
import { homePaths } from '../../shared/home/paths.ts';

const made = realpathSync(mkdtempSync(join(tmpdir(), 'interlock-projects-')));
afterAll(() => rmSync(made, { recursive: true, force: true }));
const uid = process.getuid?.() ?? 0;
let count = 0;
let home: string;
let folder: string;
let config: string;

beforeEach(() => {
  const place = join(made, String((count += 1)));
  home = join(place, 'home');
  folder = join(place, 'project');
  mkdirSync(home, { recursive: true, mode: 0o700 });
  mkdirSync(folder);
  config = join(home, 'config.json');
});

const write = (value: unknown, at = folder): void =>
  writeFileSync(
    join(at, '.interlock.json'),
    typeof value === 'string' ? value : JSON.stringify(value),
  );

/** As a person does who looks at it. */
async function trust(): Promise<void> {
  const now = readProjectFile(folder);
  if (now.state !== 'valid') throw new Error(now.state);
  await changeTrustedProjects(trustedProjectsBeside(config), uid, (projects) => [
    ...projects,
    { ...now.project, trustedAt: 1 },
  ]);
}

const projects = () => {
  const read = readConfigFile(config, { uid, managed: { directory: '/nowhere/x', owner: 0 } });
  return read.ok ? (read.config.projects ?? []) : read.problem.code;
};
const trustedNow = (): string => {
  const [first] = projects();
  return typeof first === 'object' ? trustStateOf(first) : String(first);
};
const health = (at = folder): readonly string[] => {
  const read = readConfigFile(config, { uid });
  return projectChecks(
    {
      paths: homePaths({ INTERLOCK_HOME: home }),
      env: {},
      packageRoot: made,
      platform: 'linux',
      uid,
      folder: at,
    },
    read.ok ? read.config : null,
  ).map(({ level, title }) => `${level} ${title}`);
};

describe("a project's own file", () => {
  it('counts for nothing until a person trusts it, and Health says so', async () => {
    write({ version: 1, ask: 'always' });
    expect(projects()).toEqual([]);
    mkdirSync(join(folder, 'src'));
    const path = join(folder, '.interlock.json');
    expect(health(join(folder, 'src'))).toEqual([
      `warning ${path} counts for nothing: no person has trusted it`,
    ]);
    await trust();
    expect(projects()).toMatchObject([{ folder, managed: { path, layer: 'project' } }]);
    expect(health()).toEqual([`ok ${path} bounds what is done there, as a person trusted`]);
  });

  it('holds as it was trusted, whatever becomes of it', async () => {
    write({ version: 1, ask: 'always' });
    await trust();
    const held = () => projects();
    const before = held();
    expect(trustedNow()).toBe('same');
    write({ version: 1 });
    expect([trustedNow(), held()]).toEqual(['changed', before]);
    write('{');
    expect([trustedNow(), held()]).toEqual(['changed', before]);
    rmSync(join(folder, '.interlock.json'));
    expect([trustedNow(), held()]).toEqual(['gone', before]);
    renameSync(folder, `${folder}-aside`);
    mkdirSync(folder);
    write({ version: 1, ask: 'always' });
    expect([trustedNow(), held()]).toEqual(['another-folder', before]);
    expect(health()[0]).toContain('another folder');
  });

  it.each([
    ['no JSON', '{'],
    ['a field that is not known', '{"version": 1, "sekurity": "deny"}'],
    ['a field twice', '{"version": 1, "ask": "off", "ask": "always"}'],
    ['a rule that allows', '{"version": 1, "deny": [{"pattern": "ls", "effect": "allow"}]}'],
    ['another version', '{"version": 2}'],
    ['more than such a file holds', `{"version": 1, "$schema": "${'x'.repeat(70_000)}"}`],
  ])('cannot be trusted where it is %s', (_, text) => {
    write(text);
    expect(readProjectFile(folder).state).toBe('invalid');
    expect(health()[0]).toContain('counts for nothing');
  });

  it('is the plain file of that name, and no link or pipe to another', () => {
    write({ version: 1 }, made);
    symlinkSync(join(made, '.interlock.json'), join(folder, '.interlock.json'));
    expect(readProjectFile(folder).state).toBe('invalid');
    rmSync(join(made, '.interlock.json'));
    expect(readProjectFile(folder).state).toBe('absent');
  });

  it('denies everything where the list of trusted ones is damaged', async () => {
    write({ version: 1 });
    await trust();
    const list = trustedProjectsBeside(config);
    for (const text of ['{', '{"version": 1, "projects": [{}]}']) {
      writeFileSync(list, text, { mode: 0o600 });
      expect(projects()).toBe('config-invalid');
      await expect(changeTrustedProjects(list, uid, () => [])).rejects.toThrow('not valid');
    }
  });
});
