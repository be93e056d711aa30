import { describe, expect, it } from 'vitest';
import { allow, rule, verdictOn } from '../../support/stages.ts';
import { analyse, workspace } from '../plan/support/machine.ts';

function planned(command: string) {
  const analysis = analyse(command);
  if (!analysis.ok) throw new Error(`${command}: ${analysis.detail}`);
  const [stage] = analysis.plan.stages;
  if (stage === undefined) throw new Error(`${command} has no stage`);
  return { stage, canonical: analysis.plan.canonical, trust: stage.trust.level };
}

describe('a pattern that could expand to an option', () => {
  it.each([
    ['rm *', "'/usr/bin/rm' ./*"],
    ['rm -f *.log', "'/usr/bin/rm' '-f' ./*'.log'"],
    ['sort [a-z]*', "'/usr/bin/sort' ./[a-z]*"],
    ['cp ?.txt src', "'/usr/bin/cp' ./?'.txt' 'src'"],
    ['tar cf a.tar *', "'/usr/bin/tar' 'cf' 'a.tar' ./*"],
    ['timeout 5 rm *', "'/usr/bin/timeout' '5' '/usr/bin/rm' ./*"],
    ["bash -c 'rm *'", "'/usr/bin/bash' --norc -c 'rm'"],
    ['touch *', "'/usr/bin/touch' ./*"],
  ])('stays a file where the program takes files: %s', (command, canonical) => {
    const { trust, canonical: text } = planned(command);
    expect(trust).toBe('open');
    if (!command.startsWith('bash')) expect(text).toBe(canonical);
    else expect(text).toContain('./*');
  });

  it.each(['rm src/*', 'rm ./*', 'rm a*', 'rm -f x*.log', 'wc -l src/**/*.ts'])(
    'is left alone where none can be meant: %s',
    (command) => {
      const { trust, stage } = planned(command);
      expect(trust).toBe('open');
      expect(stage.argv).toEqual(command.split(' '));
    },
  );

  it.each([
    'rm -*',
    'rm -[rf]*',
    'find . -name *',
    'sort -k *',
    'grep * a.txt',
    'git diff *',
    'npm test *',
    'just *',
    'nonesuch-tool *',
  ])('asks for every other program, known or not: %s', (command) => {
    const analysis = analyse(command);
    const stages = analysis.ok ? analysis.plan.stages : analysis.stages;
    expect(['pinned', 'never']).toContain(stages[0]?.trust.level);
  });
});

describe('what a stage does with its arguments', () => {
  const effects = (command: string) => planned(command).stage.effects;
  const at = (name: string) => `${workspace}/${name}`;

  it('stands on it with absolute paths', () => {
    expect(effects('cp a.txt new/b.txt')).toMatchObject({
      reads: [at('a.txt')],
      writes: [at('new/b.txt'), at('new/b.txt/a.txt')],
      network: false,
    });
    expect(effects('sort -o out.txt a.txt')).toMatchObject({
      reads: [at('a.txt')],
      writes: [at('out.txt')],
    });
    expect(effects('rm -r sub')).toMatchObject({ deletes: [at('sub')] });
    expect(effects('tar xf a.tar -C /tmp')).toMatchObject({ into: ['/tmp'] });
    expect(effects('cat linked')).toMatchObject({ reads: ['/etc/passwd'] });
  });

  it('holds the folder of a pattern, and null where a path is not known', () => {
    expect(effects('cat sub/*.txt')).toMatchObject({ reads: [at('sub')] });
    expect(effects('cat *.txt')).toMatchObject({ reads: [workspace] });
    expect(effects('cat */../../x')).toMatchObject({ reads: [null] });
  });

  it('tells what it starts and whom it reaches', () => {
    expect(effects('find . -exec rm {} +')).toMatchObject({ starts: ['rm'] });
    expect(effects('curl -o x https://h.example/a')).toMatchObject({
      reaches: ['https://h.example/a'],
      network: true,
      writes: [at('x')],
    });
  });

  it('is not known of a program without a record', () => {
    expect(effects('nonesuch')).toBeNull();
  });
});

describe('a rule that says what may be written', () => {
  const decision = (command: string, ...rules: readonly ReturnType<typeof allow>[]) =>
    verdictOn(analyse(command), { rules, request: { command, cwd: workspace } }).decision;
  const below = { writes: [`${workspace}/**`] };

  it.each([
    ['sort -o sub/x a.txt', 'allow'],
    ['sort -o /home/ann/x a.txt', 'ask'],
    ['sort -so/home/ann/x a.txt', 'ask'],
    ['sort a.txt > sub/x', 'allow'],
    ['sort a.txt', 'allow'],
  ])('holds for the arguments too: %s', (command, expected) => {
    expect(decision(command, allow('sort', ['...'], below))).toBe(expected);
  });

  it('denies however the path is spelled', () => {
    const held = rule('**', { effect: 'deny', writes: ['/home/ann/kept/**'] });
    expect(decision('cp a.txt /home/ann/kept/x', allow('cp', ['...']), held)).toBe('deny');
    expect(decision('cp -t ../../kept a.txt', allow('cp', ['...']), held)).toBe('deny');
    expect(decision('cp a.txt b.txt', allow('cp', ['...']), held)).toBe('allow');
  });
});

describe('arguments of a program that does what a project says', () => {
  const levelOf = (command: string, workspaces: readonly string[] = []): unknown => {
    const analysis = analyse(command, { workspaces });
    return analysis.ok && analysis.plan.stages[0]?.trust.level;
  };

  it('may name the project by its whole path, and other folders that agents work in', () => {
    expect(levelOf(`cargo test --manifest-path ${workspace}/sub/Cargo.toml`)).toBe('open');
    expect(levelOf('cargo test --manifest-path /home/ann/other/Cargo.toml')).toBe('pinned');
    expect(
      levelOf('cargo test --manifest-path /home/ann/other/Cargo.toml', ['/home/ann/other']),
    ).toBe('open');
  });

  it('lead out through a link too', () => {
    expect(levelOf('cargo test --manifest-path sub/Cargo.toml')).toBe('open');
    expect(levelOf('cargo test --manifest-path elsewhere/Cargo.toml')).toBe('pinned');
  });
});

describe('programs under names of one build', () => {
  it.each([
    ['python3.11 a.txt', 'pinned'],
    ['x86_64-linux-gnu-gcc-13 -fplugin=x a.c', 'pinned'],
    ['ld-linux-x86-64.so.2 a.txt', 'pinned'],
    ['nice -z ls', 'never'],
    ['swift', 'never'],
  ])('%s is %s', (command, level) => {
    const analysis = analyse(command);
    const stages = analysis.ok ? analysis.plan.stages : analysis.stages;
    expect(stages[0]?.trust.level).toBe(level);
  });
});
