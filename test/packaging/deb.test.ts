import { execFileSync, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from './pack.ts';

const has = (program: string): boolean => spawnSync(program, ['--version']).error === undefined;
const wants = [
  ...(process.env['INTERLOCK_LONG'] === '1' ? [] : ['INTERLOCK_LONG=1']),
  ...(process.geteuid?.() === 0 ? [] : ['root']),
  ...['dpkg-deb', 'strip', 'unshare'].filter((program) => !has(program)),
];

describe('what a package has to carry', () => {
  it('is every package that the programs load when they run', () => {
    const script = `import('./scripts/packaging/tree.mjs').then((tree) => console.log(JSON.stringify(tree.neededPackages())))`;
    const needed = JSON.parse(
      execFileSync(process.execPath, ['-e', script], { cwd: projectRoot, encoding: 'utf8' }),
    ) as readonly string[];
    const manifest = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as {
      readonly dependencies: Readonly<Record<string, string>>;
    };
    const chunks = join(projectRoot, 'dist/chunks');
    const texts = readdirSync(chunks)
      .filter((name) => name.endsWith('.cjs'))
      .map((name) => readFileSync(join(chunks, name), 'utf8'))
      .join('\n');
    const loaded = Object.keys(manifest.dependencies).filter((name) => texts.includes(`"${name}"`));
    expect(loaded).toContain('koffi');
    expect(loaded.filter((name) => !needed.includes(name))).toEqual([]);
    expect(needed).not.toContain('electron-updater');
    expect(needed.filter((name) => name.startsWith('@koromix/koffi-'))).toHaveLength(1);
  });
});

if (wants.length > 0) console.log(`NOT TESTED: the deb, because this wants ${wants.join(', ')}.`);

describe.skipIf(wants.length > 0)('the deb', () => {
  let place: string;
  const build = (name: string): string => {
    const script = join(projectRoot, 'scripts/packaging/deb.mjs');
    const file = execFileSync(process.execPath, [script, join(place, name)], { encoding: 'utf8' });
    return file.trim();
  };

  beforeAll(() => {
    place = mkdtempSync(join(tmpdir(), 'il-deb-'));
  });
  afterAll(() => rmSync(place, { recursive: true, force: true }));

  it('is the same when it is made again, and installs, upgrades, goes and is purged without a trace', () => {
    const [first, second] = [build('one'), build('two')];
    expect(readFileSync(first).equals(readFileSync(second))).toBe(true);
    copyFileSync(first, join(place, 'old.deb'));
    const tree = join(place, 'tree');
    execFileSync('dpkg-deb', ['-R', first, tree]);
    const control = join(tree, 'DEBIAN/control');
    writeFileSync(
      control,
      readFileSync(control, 'utf8').replace(/^Version: .*$/mu, 'Version: 99.0-1'),
    );
    execFileSync('dpkg-deb', ['--root-owner-group', '-Znone', '-b', tree, join(place, 'new.deb')]);
    const script = join(projectRoot, 'test/packaging/deb.sh');
    const run = spawnSync('unshare', ['-m', '--propagation', 'private', script, place], {
      encoding: 'utf8',
    });
    expect(run.status, run.stdout + run.stderr).toBe(0);
    expect(run.stdout).toContain('ok      nothing is left behind');
    expect(run.stdout).not.toContain('FAILS');
    expect(run.stdout.match(/^left: $/gmu)).toHaveLength(2);
    expect(run.stdout).toContain('kept: the unit of somebody else');
  }, 300_000);
});
