import { expect, test } from 'vitest';
import { analyseTool } from '../../../shared/engine/tools/analyse.ts';
import type { ToolCall } from '../../../shared/engine/tools/types.ts';
import type { FileView } from '../../../shared/engine/plan/types.ts';

const real: Readonly<Record<string, string>> = {
  '/': '/',
  '/home': '/home',
  '/home/ada': '/home/ada',
  '/home/ada/src': '/home/ada/src',
  '/home/ada/src/a.ts': '/home/ada/src/a.ts',
  '/home/ada/src/linked': '/home/ada/.ssh',
  '/home/ada/src/linked/config': '/home/ada/.ssh/config',
};
const files: FileView = {
  realPath: (path) => real[path] ?? null,
  facts: () => null,
  head: () => null,
  isLink: (path) => path === '/home/ada/src/dangling',
  readLink: () => null,
};

const around = { files, cwd: '/home/ada/src', home: '/home/ada', platform: 'linux' } as const;

function targetOf(kind: ToolCall['kind'], target: string): string | null {
  const analysis = analyseTool({ kind, tool: 'Tool', target, detail: null }, around);
  const executable = analysis.ok ? analysis.plan.stages[0]?.executable : undefined;
  return executable?.kind === 'tool' ? executable.target : null;
}

test.each([
  ['a file that is there', 'a.ts', '/home/ada/src/a.ts'],
  ['a new file', 'new.ts', '/home/ada/src/new.ts'],
  ['a new file in new folders', 'x/y/new.ts', '/home/ada/src/x/y/new.ts'],
  ['a file behind a link, where the link leads', 'linked/config', '/home/ada/.ssh/config'],
  ['a new file in new folders behind a link', 'linked/x/y', '/home/ada/.ssh/x/y'],
  ['an absolute path', '/home/ada/new', '/home/ada/new'],
  ['a link that leads nowhere is not understood', 'dangling', null],
  ['new folders below a link that leads nowhere', 'dangling/x/y', null],
  ['".." through folders that are not there', 'x/../../y/z', null],
  ['nothing', '', null],
  ['a NUL byte', 'a\0b', null],
])('edit: %s', (_name, written, target) => {
  expect(targetOf('edit', written)).toBe(target);
});

test.each([
  ['https://docs.example/a', 'https://docs.example/a'],
  ['HTTPS://DOCS.example:443/a/../b', 'https://docs.example/b'],
  ['https://docs.example@evil.example/', null],
  ['https://user:word@docs.example/', null],
  ['docs.example', null],
  ['', null],
])('fetch: %s is held against rules as %s', (written, target) => {
  expect(targetOf('fetch', written)).toBe(target);
});

test.each([
  ['github/create_issue', 'github/create_issue'],
  ['github', null],
  ['a/b/c', null],
  ['a b/c', null],
])('mcp: %s is held against rules as %s', (written, target) => {
  expect(targetOf('mcp', written)).toBe(target);
});

test('a use with several targets is a stage for each, and opaque where one is not understood', () => {
  const patch = (...[target, ...moreTargets]: readonly [string, ...string[]]) =>
    analyseTool({ kind: 'edit', tool: 'apply_patch', target, moreTargets, detail: null }, around);
  const both = patch('a.ts', 'linked/config');
  expect(both.ok && both.plan.stages.map(({ argv }) => argv[1])).toEqual([
    '/home/ada/src/a.ts',
    '/home/ada/.ssh/config',
  ]);
  expect(patch('a.ts', 'dangling').ok).toBe(false);
});
