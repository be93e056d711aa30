import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { analyse } from './support/machine.ts';

const messages = [
  'one line\n',
  'it\'s "quoted" $HOME `id` \\ $(id)\n\nsecond (part\n',
  'ends in newlines\n\n\n',
  ')\n',
  '',
];

describe('a message that `cat` reads from a heredoc is the text itself', () => {
  test.each(messages)('%j, as bash says', (message) => {
    const text = `printf '%s|' "$(cat <<'EOF'\n${message}EOF\n)"`;
    const analysis = analyse(text);
    const canonical = analysis.ok ? analysis.plan.canonical : analysis.detail;
    const run = (command: string): string =>
      execFileSync('/bin/bash', ['-c', command], {
        env: { PATH: '/usr/bin:/bin' },
        // Bash that reads from a socket takes itself for a remote one, and runs start files.
        stdio: ['ignore', 'pipe', 'inherit'],
      }).toString();
    expect(run(canonical)).toBe(run(text));
  });

  test('only the program that gets the message is in the plan', () => {
    const analysis = analyse('git commit -m "$(cat <<\'EOF\'\nfix: x\n\nBody\nEOF\n)" && ls');
    const stages = analysis.ok ? analysis.plan.stages.map((stage) => stage.argv) : [];
    expect(stages).toEqual([['git', 'commit', '-m', 'fix: x\n\nBody'], ['ls']]);
  });

  test.each([
    'git commit -m "$(cat <<EOF\n$(id)\nEOF\n)"',
    'git commit -m "$(cat <<EOF\n`id`\nEOF\n)"',
    'git commit -m "$(cat a.txt <<\'EOF\'\nx\nEOF\n)"',
    'git commit -m "$(cat <<\'EOF\' | sh\nx\nEOF\n)"',
    'git commit -m "$(cat <<\'EOF\'\nx\nEOF\nid)"',
    'git commit -m "$(cat <<\'EOF\'; id\nx\nEOF\n)"',
    'git commit -m "$(cat <<\'EOF\'\nEOF)\nEOF\n)"',
    'git commit -m "$(cat <<-\'EOF\'\n\tEOF) x\n\tEOF\n)"',
    "git commit -m $(cat <<'EOF'\nx\nEOF\n)",
    '"$(cat <<\'EOF\'\ngit\nEOF\n)" status | sh -c "$(cat <<\'E\'\n$(id)\nE\n)"',
  ])('%j stays opaque', (command) => {
    expect(analyse(command).ok).toBe(false);
  });
});
