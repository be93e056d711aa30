import {
  mkdirSync,
  readFileSync,
  readdirSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createCareFinder } from '../../../../runner/hosts/sandbox/care.ts';
import { careIn } from '../../../../shared/engine/index.ts';
import { nodeFiles, openFolderTrees } from '../../../../shared/home/index.ts';
import { run, temporaryFolder } from '../support.ts';
import { box, command, whyNot } from './support.ts';

/** A project with secrets, and files that steer. */
function project() {
  const made = box();
  const at = (path: string): string => join(made.workspace, path);
  for (const folder of ['src', 'config/prod', '.claude', '.vscode', '.github/workflows', '.aws'])
    mkdirSync(at(folder), { recursive: true });
  const files = {
    '.env': 'TOKEN=top-secret\n',
    'config/prod/.env.local': 'TOKEN=top-secret\n',
    'config/server.key': 'top-secret\n',
    '.aws/credentials': 'top-secret\n',
    'src/app.ts': 'export {};\n',
    'package.json': '{}\n',
    '.claude/settings.json': '{}\n',
    '.vscode/tasks.json': '{}\n',
    '.envrc': 'true\n',
    '.github/workflows/ci.yml': 'on: push\n',
  };
  for (const [path, text] of Object.entries(files)) writeFileSync(at(path), text);
  const unasked = async (text: string) => {
    const running = run(made.host, { ...command(text, made.workspace), unasked: true });
    const outcome = await running.ended;
    return { ...outcome, ...running.output() };
  };
  return { ...made, at, unasked };
}

describe.skipIf(whyNot !== null)('what nobody allowed, in the sandbox', () => {
  it('finds secrets of the workspace empty, by every way to them', async () => {
    const { unasked, at } = project();
    symlinkSync('config/prod/.env.local', at('link.txt'));
    const ways = [
      'cat .env config/prod/.env.local config/server.key link.txt .aws/* 2>&1',
      'for f in $(find . -type f -not -path "./.git/*"); do cat "$f"; done',
      'mv config moved && cat moved/prod/.env.local moved/server.key; mv moved config',
      'ln .env hard && cat hard; cp .env copy; cat copy; mv .env other; cat other',
      'grep -r top-secret . "/proc/self/root$PWD" 2>/dev/null',
      `python3 -c 'print(open("${at('.env')}").read())'`,
      'tar cf - . 2>/dev/null | grep -a top-secret',
    ];
    for (const way of ways) expect((await unasked(way)).stdout).not.toContain('top-secret');
    expect(readFileSync(at('.env'), 'utf8')).toBe('TOKEN=top-secret\n');
    expect((await unasked('cat .env')).exitCode).toBe(0);
  });

  it('finds them empty wherever an earlier command has tried to put them', async () => {
    const { unasked, at } = project();
    mkdirSync(at('a/b/services'), { recursive: true });
    writeFileSync(at('a/b/services/.env'), 'TOKEN=top-secret\n');
    const ways = [
      'mv config node_modules; mv a target; mv a/b vendor; mv a/b/services a/b/.cache',
      `mkdir v; mv config v/node_modules; mv a/b/services a/b/dist; mv a .git`,
      'ln a/b/services/.env hard; ln -s "$PWD/a" node_modules',
      `python3 -c 'import os; os.rename("config", "venv")'`,
    ];
    for (const way of ways) await unasked(way);
    expect((await unasked('grep -rsa top-secret .; true')).stdout).not.toContain('top-secret');
    expect(readFileSync(at('a/b/services/.env'), 'utf8')).toBe('TOKEN=top-secret\n');
    expect((await unasked('echo x > config/plain && cat config/plain')).stdout).toBe('x\n');
  }, 60_000);

  it('finds what is kept read-only also where secrets lie in it', async () => {
    const { unasked, at } = project();
    mkdirSync(at('.github/workflows/inner'));
    writeFileSync(at('.github/workflows/inner/.env'), 'TOKEN=top-secret\n');
    await unasked('echo x > .github/workflows/inner/y; echo x > .github/workflows/z');
    expect(readdirSync(at('.github/workflows')).toSorted()).toEqual(['ci.yml', 'inner']);
    expect(readdirSync(at('.github/workflows/inner'))).toEqual(['.env']);
  });

  it('leaves what somebody allowed as it was', async () => {
    const { host, workspace } = project();
    const running = run(host, command('cat .env', workspace));
    await running.ended;
    expect(running.output().stdout).toBe('TOKEN=top-secret\n');
  });

  it('changes files of the project, and none that steers or runs later', async () => {
    const { unasked, at } = project();
    const steering = [
      '.claude/settings.json',
      '.vscode/tasks.json',
      '.envrc',
      '.github/workflows/ci.yml',
    ];
    const before = steering.map((path) => readFileSync(at(path), 'utf8'));
    const ways = steering.flatMap((path) => [
      `echo evil > ${path}`,
      `rm -f ${path}`,
      `mv ${path} away; echo evil > ${path}`,
      `d=$(dirname ${path}); mv $d moved-$$; mkdir -p $d && echo evil > ${path}`,
      `python3 -c 'open("${path}", "w").write("evil")'`,
    ]);
    for (const way of ways) expect((await unasked(way)).planted ?? [], way).toEqual([]);
    expect(steering.map((path) => readFileSync(at(path), 'utf8'))).toEqual(before);
    expect((await unasked('echo x > src/app.ts && echo "{ }" > package.json')).exitCode).toBe(0);
    expect(readFileSync(at('src/app.ts'), 'utf8')).toBe('x\n');
  }, 60_000);

  it('says what steers and was not there before', async () => {
    const { unasked, at } = project();
    const { planted } = await unasked(
      'mkdir -p sub/.claude .husky && echo x > sub/.claude/settings.json; echo y > .mcp.json; echo z > ok.txt',
    );
    expect(planted).toContain(at('.mcp.json'));
    expect(planted).toContain(at('sub/.claude'));
    expect(planted).not.toContain(at('ok.txt'));
    // What is there now is held.
    expect((await unasked('echo more > .mcp.json')).planted).toBeUndefined();
    expect(readFileSync(at('.mcp.json'), 'utf8')).toBe('y\n');
  });

  it('says that it looked for a network that is not there', async () => {
    const { unasked } = project();
    const ways = [
      `python3 -c 'import socket; socket.create_connection(("192.0.2.1", 80))'`,
      `python3 -c 'import socket; socket.getaddrinfo("example.com", 80)'`,
    ];
    for (const way of ways) expect(await unasked(way), way).toMatchObject({ unreached: true });
    expect((await unasked('false')).unreached).toBeUndefined();
  });

  it('says that something of it goes on, and nothing of what ended by itself', async () => {
    const { unasked } = project();
    const left = await unasked('tail -f /dev/null > /dev/null 2>&1 & echo left');
    expect(left).toMatchObject({ exitCode: 0, behind: true });
    for (const whole of ['true & wait', 'yes | head -1', 'exit 3'])
      expect((await unasked(whole)).behind, whole).toBeUndefined();
  });

  it('has a loop, inline code and a script just written run', async () => {
    const { unasked, at } = project();
    const loop = await unasked(
      'for i in 1 2 3; do echo $((i * 2)) >> out.txt; done; printf "#!/bin/sh\\necho hi" > s.sh; sh s.sh',
    );
    expect(loop).toMatchObject({ exitCode: 0, stdout: 'hi\n' });
    expect(readFileSync(at('out.txt'), 'utf8')).toBe('2\n4\n6\n');
    expect((await unasked(`python3 -c 'print(sum(range(5)))'`)).stdout).toBe('10\n');
  });
});

describe('the look for what is held', () => {
  const care = (path: string) => (path.endsWith('.env') ? ('hide' as const) : null);
  const trees = () => {
    const opened = openFolderTrees();
    onTestFinished(() => opened.close());
    return opened;
  };

  it('looks into a folder again only once it has changed', () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'a'));
    let looked = 0;
    const finder = createCareFinder(trees());
    const find = () => {
      looked = 0;
      return finder.find(folder, (path) => {
        looked += 1;
        return care(path);
      }).hidden.length;
    };
    expect([find(), looked]).toEqual([0, 1]);
    expect([find(), looked]).toEqual([0, 0]);
    writeFileSync(join(folder, 'a', '.env'), 'x');
    expect([find(), looked]).toEqual([1, 2]);
    expect([find(), looked]).toEqual([1, 1]);
  });

  it('sees what is in a file anew each time', () => {
    const folder = realpathSync(temporaryFolder());
    const careOf = careIn(folder, { home: '/nowhere', files: nodeFiles() });
    const finder = createCareFinder(trees());
    const path = join(folder, '.npmrc');
    writeFileSync(path, 'registry=https://npm.example/\n');
    expect(finder.find(folder, careOf).hidden).toEqual([]);
    writeFileSync(path, '//npm.example/:_authToken=x\n');
    expect(finder.find(folder, careOf).hidden).toMatchObject([{ path }]);
  });

  it('refuses a folder, and a secret, under a name by which nothing is held', () => {
    for (const [name, isFolder] of [
      ['\xff', true],
      ['.env.\xff', false],
    ] as const) {
      const folder = temporaryFolder();
      const path = Buffer.from(`${folder}/${name}`, 'latin1');
      if (isFolder) mkdirSync(path);
      else writeFileSync(path, 'x');
      const careOf = careIn(folder, { home: '/nowhere', files: nodeFiles() });
      expect(() => createCareFinder(trees()).find(folder, careOf)).toThrowError(/looked into/);
    }
    const folder = temporaryFolder();
    mkdirSync(join(folder, '\u{fffd}'));
    writeFileSync(Buffer.from(`${folder}/plain\xff`, 'latin1'), 'x');
    expect(createCareFinder(trees()).find(folder, care).hidden).toEqual([]);
  });

  it('refuses a workspace of which it cannot see all', () => {
    const folder = temporaryFolder();
    for (let index = 0; index < 3; index += 1) mkdirSync(join(folder, String(index)));
    const finder = createCareFinder(trees(), 3);
    expect(() => finder.find(folder, care)).toThrowError(/more than 3 folders/);
  });
});
