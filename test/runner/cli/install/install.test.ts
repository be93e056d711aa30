import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { installPlace } from './support.ts';
import type { InstallPlace } from './support.ts';

let place: InstallPlace;
beforeEach(async () => {
  place = await installPlace();
});
afterEach(() => place.remove());

const text = (path: string): string => readFileSync(join(place.folder, path), 'utf8');

const personal = {
  claude: '.claude/settings.json',
  codex: '.codex/hooks.json',
  gemini: '.gemini/settings.json',
  cursor: '.cursor/hooks.json',
  opencode: '.config/opencode/plugins/interlock.js',
} as const;
const ofProject = {
  claude: 'project/.claude/settings.local.json',
  codex: 'project/.codex/hooks.json',
  gemini: 'project/.gemini/settings.json',
  cursor: 'project/.cursor/hooks.json',
  opencode: 'project/.opencode/plugins/interlock.js',
} as const;

describe.each(Object.keys(personal) as (keyof typeof personal)[])('%s', (host) => {
  it('has the hook after one command, and again after the same command', async () => {
    const first = await place.run('install', host);
    expect(first).toMatchObject({ exitCode: 0, err: '' });
    const installed = text(personal[host]);
    expect(installed).toContain(place.program);
    expect(installed).toContain(host);
    expect(installed).toContain('135');
    const second = await place.run('install', host);
    expect(second.out).toContain('was as it should be');
    expect(text(personal[host])).toBe(installed);
  });

  it('has a key of its own, once', async () => {
    expect((await place.run('install', host)).out).toContain('new key');
    expect((await place.run('install', host)).out).not.toContain('new key');
    expect((await place.run('agents', 'list')).out).toContain(host);
    const gone = await place.run('uninstall', host);
    expect(gone.out).toContain(`interlock agents rm ${host}`);
  });

  it('leaves nothing behind where there was nothing', async () => {
    const before = readdirSync(place.folder);
    await place.run('install', host);
    expect(await place.run('uninstall', host)).toMatchObject({ exitCode: 0, err: '' });
    expect(existsSync(join(place.folder, personal[host]))).toBe(false);
    if (host !== 'opencode') expect(readdirSync(place.folder)).toEqual(before);
  });

  it('is for the current folder only where that is asked for', async () => {
    await place.run('install', host, '--project');
    expect(text(ofProject[host])).toContain(place.program);
    expect(existsSync(join(place.folder, personal[host]))).toBe(false);
    await place.run('uninstall', host, '--project');
    expect(existsSync(join(place.folder, ofProject[host]))).toBe(false);
  });

  it('shows what would change, and changes nothing', async () => {
    const { out } = await place.run('install', host, '--dry-run');
    expect(out).toContain(`+++ ${join(place.folder, personal[host])}`);
    expect(out).toContain(place.program);
    expect(existsSync(join(place.folder, personal[host]))).toBe(false);
    expect((await place.run('agents', 'list')).out).not.toContain(host);
    await place.run('install', host);
    const installed = text(personal[host]);
    expect((await place.run('install', host, '--dry-run')).out).toContain('Nothing would change');
    expect((await place.run('uninstall', host, '--dry-run')).out).toContain('--- ');
    expect(text(personal[host])).toBe(installed);
  });

  it('says that there is nothing to take out', async () => {
    expect(await place.run('uninstall', host)).toMatchObject({ exitCode: 0 });
  });
});

describe('settings that were there before', () => {
  const before = '{\n    "model": "opus",   "hooks": {"Stop": []}\n}';

  it('come back byte for byte, with their mode, and the copy goes', async () => {
    const path = place.write(personal.claude, before);
    chmodSync(path, 0o640);
    await place.run('install', 'claude');
    expect(text(`${personal.claude}.before-interlock`)).toBe(before);
    expect(statSync(path).mode & 0o777).toBe(0o640);
    await place.run('uninstall', 'claude');
    expect(text(personal.claude)).toBe(before);
    expect(statSync(path).mode & 0o777).toBe(0o640);
    expect(readdirSync(join(place.folder, '.claude'))).toEqual(['settings.json']);
  });

  it('keep what was changed since', async () => {
    const path = place.write(personal.claude, before);
    await place.run('install', 'claude');
    writeFileSync(path, text(personal.claude).replace('opus', 'sonnet'));
    const { out } = await place.run('uninstall', 'claude');
    expect(JSON.parse(text(personal.claude))).toEqual({ model: 'sonnet', hooks: { Stop: [] } });
    expect(out).toContain('.before-interlock');
  });

  it('keep the copy from before the first installation', async () => {
    place.write(personal.claude, before);
    await place.run('install', 'claude');
    await place.run('install', 'claude', '--tools', 'shell');
    expect(text(`${personal.claude}.before-interlock`)).toBe(before);
    await place.run('uninstall', 'claude');
    expect(text(personal.claude)).toBe(before);
  });

  it('are written to where a link leads, and the link stays', async () => {
    const real = place.write('dotfiles/claude.json', before);
    place.write('.claude/x', '');
    symlinkSync('../dotfiles/claude.json', join(place.folder, personal.claude));
    await place.run('install', 'claude');
    expect(readFileSync(real, 'utf8')).toContain(place.program);
    expect(lstatSync(join(place.folder, personal.claude)).isSymbolicLink()).toBe(true);
    await place.run('uninstall', 'claude');
    expect(readFileSync(real, 'utf8')).toBe(before);
  });
});

describe('a file that must not be touched', () => {
  const cases: readonly (readonly [string, () => void, readonly string[]])[] = [
    ['broken JSON', () => place.write(personal.claude, '{ "a": '), []],
    ['a list', () => place.write(personal.claude, '[]'), []],
    [
      'bytes that are no UTF-8',
      () => writeFileSync(place.write(personal.claude, ''), Buffer.from([0x7b, 0xff, 0x7d])),
      [],
    ],
    ['a read-only file', () => chmodSync(place.write(personal.claude, '{}'), 0o444), []],
    [
      'a link that leads nowhere',
      () => {
        place.write('.claude/x', '');
        symlinkSync('nowhere', join(place.folder, personal.claude));
      },
      [],
    ],
    [
      'a link out of the project',
      () => {
        place.write('project/.claude/x', '');
        place.write('mine.json', '{}');
        symlinkSync('../../mine.json', join(place.folder, ofProject.claude));
      },
      ['--project'],
    ],
  ];

  it.each(cases)('%s is refused with a code and left as it is', async (_name, prepare, options) => {
    prepare();
    const before = snapshot();
    const { exitCode, err } = await place.run('install', 'claude', ...options);
    expect(exitCode).toBe(126);
    expect(err).toContain('config-invalid');
    expect(err).toContain('settings');
    expect(snapshot()).toEqual(before);
  });

  it('is one with a second name, too', async () => {
    linkSync(place.write(personal.claude, '{}'), join(place.folder, 'second.json'));
    expect((await place.run('install', 'claude')).err).toContain('hard link');
  });

  it('is one of somebody else in the place of the plugin', async () => {
    place.write(personal.opencode, 'export const Mine = 1;\n');
    expect(await place.run('install', 'opencode')).toMatchObject({ exitCode: 126 });
    expect((await place.run('uninstall', 'opencode')).out).toContain('nothing was changed');
    expect(text(personal.opencode)).toBe('export const Mine = 1;\n');
  });

  function snapshot(): readonly string[] {
    return ['.claude', 'project/.claude'].flatMap((folder) =>
      existsSync(join(place.folder, folder))
        ? readdirSync(join(place.folder, folder)).map((name) => {
            const path = join(place.folder, folder, name);
            return existsSync(path) ? `${path} ${readFileSync(path, 'hex')}` : path;
          })
        : [],
    );
  }
});

describe('what is wanted', () => {
  it('may be another name of the agent, and some kinds of tools', async () => {
    await place.run('install', 'claude', '--agent', 'reviewer', '--tools', 'edit,shell');
    expect(text(personal.claude)).toContain('--agent reviewer');
    expect(text(personal.claude)).toContain('^(?:Bash|Monitor|PowerShell|Edit|');
    expect((await place.run('agents', 'list')).out).toContain('reviewer');
  });

  it('gives the person the time that the policy says, and the host more', async () => {
    const path = join(place.folder, 'home', 'exec-approvals.json');
    const policy = JSON.parse(readFileSync(path, 'utf8')) as object;
    writeFileSync(
      path,
      JSON.stringify({ ...policy, agents: { claude: { askTimeoutMs: 600_000 } } }),
    );
    await place.run('install', 'claude');
    expect(text(personal.claude)).toContain('--wait 615');
    expect(text(personal.claude)).toContain('"timeout": 630');
  });

  it('names the home where it is not the usual one', async () => {
    await place.run('install', 'claude');
    expect(text(personal.claude)).toContain(`--home ${join(place.folder, 'home')}`);
  });

  it.each([
    [['emacs'], 'no agent host'],
    [['claude', '--tools', 'shell,mail'], 'no kind of tool'],
    [['codex', '--tools', 'fetch'], 'tells its hooks nothing'],
    [['claude', '--agent', 'a b'], "cannot be an agent's name"],
  ])('is refused where it makes no sense: %j', async (args, sentence) => {
    const { exitCode, err } = await place.run('install', ...args);
    expect(exitCode).not.toBe(0);
    expect(err).toContain(sentence);
    expect(existsSync(join(place.folder, personal.claude))).toBe(false);
  });
});

it('says that it is there twice, for the person and for the folder', async () => {
  expect((await place.run('install', 'claude')).out).not.toContain('twice');
  expect((await place.run('install', 'claude', '--project')).out).toContain('twice');
  expect((await place.run('install', 'claude')).out).toContain('twice');
});

it('Codex: says what in its settings takes the gate away', async () => {
  place.write('.codex/config.toml', 'approval_policy = "never"\nsandbox_mode = "read-only"\n');
  const { out } = await place.run('install', 'codex');
  expect(out).toContain('/hooks');
  expect(out).toContain('approval_policy');
  expect(out).toContain('cannot reach the runner');
  place.write(
    '.codex/config.toml',
    'sandbox_mode = "workspace-write"\n[sandbox_workspace_write]\nnetwork_access = true\n',
  );
  expect((await place.run('install', 'codex')).out).not.toContain('cannot reach the runner');
});
