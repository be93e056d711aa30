import { mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { starterSets } from '../../../shared/engine/starters/bind.ts';
import { cli, temporaryHome } from './support.ts';

const now = String(starterSets.find(({ name }) => name === 'look-around')?.version);

let place: ReturnType<typeof temporaryHome>;
let project: string;
beforeEach(() => {
  place = temporaryHome();
  project = join(place.folder, 'app');
  mkdirSync(project);
});
afterEach(() => place.remove());

const options = (cwd = project) => ({
  home: place.home,
  cwd,
  env: { HOME: place.folder, PATH: '/usr/bin:/bin' },
});

async function run(...words: readonly string[]) {
  return cli(options(), ...words);
}

interface Policy {
  agents: Record<string, { allowlist?: { id: string; source?: string; cwd?: string }[] }>;
}

const file = () => join(place.home, 'exec-approvals.json');
const policy = () => JSON.parse(readFileSync(file(), 'utf8')) as Policy;

async function verdict(command: string, cwd = project): Promise<string> {
  const { out } = await cli(options(cwd), 'check', '--json', '-c', command);
  return (JSON.parse(out) as { verdict: string }).verdict;
}

describe('interlock init --starter', () => {
  it('begins with rules for this project, and for no other folder', async () => {
    const { exitCode, out } = await run('init', '--host', 'gateway', '--starter', 'look-around');
    expect(exitCode).toBe(0);
    expect(out).toContain(`for every agent in ${project}`);
    expect(await verdict('ls -la | head -3')).toBe('allow');
    expect(await verdict('ls', place.folder)).toBe('ask');
    expect(await verdict('ls > files.txt')).toBe('ask');
  });

  it('brings "look around" along with "work on this project"', async () => {
    await run('init', '--host', 'gateway', '--starter', 'project', project);
    const sources = new Set(policy().agents['*']?.allowlist?.map(({ source }) => source));
    expect(sources).toEqual(
      new Set(starterSets.map(({ name, version }) => `starter:${name}@${version}`)),
    );
    expect(await verdict('ls > files.txt')).toBe('allow');
    expect(await verdict('cat .env')).toBe('ask');
  });

  it.each(['/', '..', 'nowhere'])(
    'refuses to be bound to %s, and makes nothing',
    async (folder) => {
      const { exitCode, err } = await run('init', '--starter', 'project', folder);
      expect(exitCode).not.toBe(0);
      expect(err).toMatch(/too wide|not there/);
      expect((await run('approvals', 'get')).exitCode).not.toBe(0);
    },
  );

  it('wants to know which set a folder is for', async () => {
    const { exitCode, err } = await run('init', project);
    expect(exitCode).not.toBe(0);
    expect(err).toContain('--starter');
  });
});

describe('interlock approvals starter', () => {
  beforeEach(async () => {
    await run('init', '--host', 'gateway');
  });

  it('adds a set for one agent, by the real path of the folder, once', async () => {
    const link = join(place.folder, 'link');
    symlinkSync(project, link);
    const added = await run(
      'approvals',
      'starter',
      'add',
      'look-around',
      link,
      '--agent',
      'claude',
    );
    expect(added.exitCode).toBe(0);
    const rules = policy().agents['claude']?.allowlist ?? [];
    expect(rules.length).toBeGreaterThan(10);
    expect(new Set(rules.map(({ cwd }) => cwd))).toEqual(new Set([`${realpathSync(link)}/**`]));
    const again = await run('approvals', 'starter', 'add', 'look-around', '--agent', 'claude');
    expect(again.out).toContain('stands there already');
    expect(policy().agents['claude']?.allowlist).toHaveLength(rules.length);
  });

  it('lists the sets there are and those in the policy', async () => {
    await run('approvals', 'starter', 'add', 'look-around');
    const { out } = await run('approvals', 'starter', 'list', '--json');
    expect(JSON.parse(out)).toMatchObject({
      sets: [{ name: 'look-around' }, { name: 'project' }],
      present: [{ agent: '*', set: 'look-around', version: Number(now), folder: project, uses: 0 }],
    });
    expect((await run('approvals', 'starter', 'list')).out).toContain('in the policy: look-around');
  });

  it('takes a set out and leaves every other rule', async () => {
    await run('approvals', 'allow', '--', 'git', 'push', '...');
    await run('approvals', 'starter', 'add', 'project');
    await run('approvals', 'starter', 'rm', 'project');
    expect((await run('approvals', 'starter', 'list')).out).not.toContain('policy: project');
    await run('approvals', 'starter', 'rm', 'look-around', project);
    expect(policy().agents['*']?.allowlist).toMatchObject([{ source: 'cli' }]);
    const gone = await run('approvals', 'starter', 'rm', 'look-around');
    expect(gone.exitCode).not.toBe(0);
    expect(gone.err).toContain('holds no rules of look-around');
  });

  it('shows what an update changes, and changes it only when that is accepted', async () => {
    await run('approvals', 'starter', 'add', 'look-around');
    const old = readFileSync(file(), 'utf8').replaceAll(`look-around@${now}`, 'look-around@1');
    const edited = JSON.parse(old) as Policy;
    edited.agents['*']?.allowlist?.shift();
    writeFileSync(file(), JSON.stringify(edited), { mode: 0o600 });
    const before = readFileSync(file(), 'utf8');
    for (const flags of [['--dry-run'], []]) {
      const shown = await run('approvals', 'starter', 'update', ...flags);
      expect(shown.out).toMatch(/^ {2}- allow .*look-around@1/m);
      expect(shown.out).toMatch(new RegExp(`^ {2}\\+ allow .*look-around@${now}`, 'm'));
      expect(readFileSync(file(), 'utf8')).toBe(before);
      expect(shown.exitCode === 0).toBe(flags.length > 0);
    }
    expect((await run('approvals', 'starter', 'update', '--yes')).out).toContain('Changed.');
    expect(readFileSync(file(), 'utf8')).not.toContain('look-around@1');
    expect((await run('approvals', 'starter', 'update')).out).toContain('up to date');
  });
});

describe('interlock install --starter', () => {
  it('gives the agent rules for the current folder', async () => {
    await run('init', '--host', 'gateway');
    const { exitCode, out } = await run('install', 'claude', '--starter', 'project');
    expect([exitCode, out]).toEqual([0, expect.stringContaining('Work on this project')]);
    expect(policy().agents['claude']?.allowlist?.length).toBeGreaterThan(20);
  });

  it('installs nothing where the rules have no place to go', async () => {
    await run('init', '--host', 'gateway');
    const { exitCode } = await cli(options('/'), 'install', 'claude', '--starter', 'project');
    expect(exitCode).not.toBe(0);
    expect(policy().agents['claude']).toBeUndefined();
  });
});
