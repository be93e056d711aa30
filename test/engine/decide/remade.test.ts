import { expect, it } from 'vitest';
import { readNamed } from '../../../shared/engine/programs/named.ts';
import { deletesOnlyRemade } from '../../../shared/engine/risk/checks/delete.ts';

function isRemade(line: string, workspace: string): boolean {
  const [name = '', ...args] = line.split(' ');
  const at = { builtin: false, cwd: workspace, home: '/home/me', writes: [], reads: [] };
  const reading = readNamed(name, args);
  const subject = { name, args, reading, assignments: [], span: null, piped: false, ...at };
  return deletesOnlyRemade(subject, workspace);
}

it.each([
  ['rm -rf build', '/home/me/app'],
  ['rm -rf build', '/tmp/app'],
  ['rm -f src/a.pyc', '/tmp/app'],
  ['rm /tmp/a.log', '/home/me/app'],
  ['rm /tmp/a.log', '/tmp/app'],
  ['mv src/a.ts src/b.ts', '/tmp/app'],
  ['find . -name *.pyc -delete', '/home/me/app'],
])(
  'what a build makes again, or lies in the /tmp of the sandbox, may go: %s in %s',
  (line, workspace) => {
    expect(isRemade(line, workspace)).toBe(true);
  },
);

it.each([
  ['rm -rf src', '/home/me/app'],
  ['rm -rf src', '/tmp/app'],
  ['rm -rf .', '/tmp/app'],
  ['rm -rf /tmp/app', '/tmp/app'],
  ['rm -rf /tmp', '/tmp/app'],
  ['rm a.log', '/tmp/app'],
  ['mv src /tmp', '/home/me/app'],
  ['find . -delete -name *.pyc', '/home/me/app'],
  ['find . -name * -delete', '/tmp/app'],
  ['find . -name *.pyc -o -name a -delete', '/home/me/app'],
])('a project is the person’s wherever it lies: %s in %s', (line, workspace) => {
  expect(isRemade(line, workspace)).toBe(false);
});
