import { describe, expect, it } from 'vitest';
import { product } from './sources.ts';

const programs =
  'docker podman kubectl helm cargo git npm pnpm yarn bun ssh gh aws gcloud az terraform curl wget rsync psql mysql pip';
const any = programs.replaceAll(' ', '|');

/** Where what is known of programs stands: their records, and the rules to begin with. */
const home = /^shared\/engine\/(?:programs|starters)\//u;

/** What else has to name one, and why that is no knowledge about what commands do. */
const argued: Readonly<Record<string, string>> = {
  'runner/boxes/container/builder.ts': 'podman builds boxes',
  'runner/boxes/kept.ts': 'podman builds boxes',
  'runner/cli/box/look.ts': 'says why docker does not build boxes',
  'shared/engine/boxes.ts': 'podman builds boxes',
  'runner/boxes/skills/project.ts': 'tells an agent how a project is built',
  'runner/boxes/workspace/step.ts': 'tells an agent which programs its box has',
  'runner/boxes/workspace/clone.ts': 'starts git',
  'runner/boxes/workspace/git.ts': 'starts git',
  'runner/tools/git.ts': 'starts git for agents',
  'runner/tools/npm.ts': 'starts npm for agents',
  'runner/client/shim.c': 'stands in for git in a sandbox',
  'runner/nodes/ssh.ts': 'starts ssh',
  'runner/nodes/node-file.ts': 'how a gateway is reached',
  'runner/service/call-nodes.ts': 'how nodes are reached',
  'runner/hosts/sandbox/mac.ts': 'a folder for the cache of npm',
  'runner/cli/pair-node.ts': 'how a gateway is reached',
  'runner/cli/commands/box.ts': 'another word for `box attach`',
  'runner/undo/rules.ts': "the folder of git's settings",
  'shared/operations/github-token.ts': 'starts gh',
  'shared/operations/health/brokering.ts': 'looks after the logins of gh',
  'shared/engine/risk/checks/shell.ts': 'text that is in no form to be read as a program',
};

/** Programs that code names in strings, tables, lists of words and patterns; sentences do not count. */
function named(text: string): readonly string[] {
  const code = text
    .replaceAll(/\/\*[^]*?\*\//gu, '')
    .replaceAll(/(?:^|\s)\/\/ .*$/gmu, '')
    .replaceAll(/^import[^;]*;/gmu, '');
  const words = [
    ...code.matchAll(new RegExp(`(['"\`])(?<name>${any})\\1`, 'gu')),
    ...code.matchAll(new RegExp(`^\\s*(?<name>${any}): ['/[{]`, 'gmu')),
    ...[...code.matchAll(/'((?:[\w.+-]+ )+[\w.+-]+)'\.split/gu)].flatMap(([, list = '']) => [
      ...list.matchAll(new RegExp(`(?<![\\w.+-])(?<name>${any})(?![\\w.+-])`, 'gu')),
    ]),
    ...[
      ...code.matchAll(
        /(?<=[(,=[:!?&|]\s*)\/(?![*/])(?:\\.|\[[^\]]*\]|[^/\n\\])+\/(?=\w*[.,)\];\s])/gu,
      ),
    ].flatMap(([pattern]) => [
      ...pattern.matchAll(new RegExp(`(?<![\\w./-])(?<name>${any})(?![\\w/@-])`, 'gu')),
    ]),
  ];
  return [...new Set(words.map(({ groups }) => groups?.['name'] ?? ''))];
}

describe('what is known of programs', () => {
  it('stands in their records, and nowhere else', () => {
    const naming = product.filter(
      ({ path, text }) =>
        /^(?:shared|runner|app)\//u.test(path) && !home.test(path) && named(text).length > 0,
    );
    expect(naming.map(({ path }) => path).toSorted()).toEqual(Object.keys(argued).toSorted());
  });

  it.each([
    ["if (name === 'docker') return;", ['docker']],
    ['const known = {\n  kubectl: { reads: [] },\n};', ['kubectl']],
    ["const all = 'make cargo go'.split(' ');", ['cargo']],
    ['const own = [/^(?:npm|pnpm)$/u, 1];', ['npm', 'pnpm']],
    ["throw refuse('x', 'See what Git says: git status');\n/** Like git. */", []],
  ])('is seen in %j', (text, names) => {
    expect(named(text)).toEqual(names);
  });
});
