import { describe, expect, test } from 'vitest';
import { analyse, machine, outcome, workspace } from './support/machine.ts';

describe('harmless constructs are plans, rendered so that bash and dash do the same', () => {
  test.each([
    ['git status', "'/usr/bin/git' 'status'"],
    ['  git   status  ', "'/usr/bin/git' 'status'"],
    ['git commit -m "it\'s $HOME"', "'/usr/bin/git' 'commit' '-m' 'it'\\''s /home/ann'"],
    ['ls \'a b\' c\\ d "e f"', "'/usr/bin/ls' 'a b' 'c d' 'e f'"],
    ["grep $'a\\tb' a.txt", "'/usr/bin/grep' 'a\tb' 'a.txt'"],
    ["ls ''", "'/usr/bin/ls' ''"],
    ['ls "$EMPTY" "$SPACED"', "'/usr/bin/ls' '' 'a b'"],
    ['ls "a\\$b\\n"', "'/usr/bin/ls' 'a$b\\n'"],
    ['grep "^a$" a.txt', "'/usr/bin/grep' '^a$' 'a.txt'"],
    ['ls && git status || pwd; true', "'/usr/bin/ls' && '/usr/bin/git' 'status' || pwd; true"],
    ['ls\ngit status\n', "'/usr/bin/ls'; '/usr/bin/git' 'status'"],
    ['ls # note', "'/usr/bin/ls'"],
    ['# note\nls', "'/usr/bin/ls'"],
    ['ls \\\n  -l', "'/usr/bin/ls' '-l'"],
    ['ls &&\n  git status', "'/usr/bin/ls' && '/usr/bin/git' 'status'"],
    ['ls | grep a | wc -l', "'/usr/bin/ls' | '/usr/bin/grep' 'a' | '/usr/bin/wc' '-l'"],
    ['ls |& grep a', "'/usr/bin/ls' 2>&1 | '/usr/bin/grep' 'a'"],
    ['! grep -q a a.txt', "! '/usr/bin/grep' '-q' 'a' 'a.txt'"],
    ['npm test 2>&1', "'/usr/bin/npm' 'test' 2>&1"],
    ['npm test >/dev/null 2>/dev/null', "'/usr/bin/npm' 'test' >'/dev/null' 2>'/dev/null'"],
    ['npm test &>/dev/null', "'/usr/bin/npm' 'test' >'/dev/null' 2>&1"],
    ['wc -l < a.txt', `'/usr/bin/wc' '-l' <'${workspace}/a.txt'`],
    ['ls > out.txt', `'/usr/bin/ls' >'${workspace}/out.txt'`],
    ['ls >> sub/x', `'/usr/bin/ls' >>'${workspace}/sub/x'`],
    ['ls > linked', "'/usr/bin/ls' >'/etc/passwd'"],
    ["cat <<'EOF'\n$x `id`\nEOF\n", "'/usr/bin/cat' <<'END'\n$x `id`\nEND\n"],
    ['cat <<EOF\nplain $HOME\nEOF\n', "'/usr/bin/cat' <<'END'\nplain /home/ann\nEND\n"],
    ['cat <<-EOF\n\tin\n\tEOF\n', "'/usr/bin/cat' <<'END'\nin\nEND\n"],
    ['cat <<< "a b"', "'/usr/bin/cat' <<'END'\na b\nEND\n"],
    ['cat <<< END', "'/usr/bin/cat' <<'END1'\nEND\nEND1\n"],
    ['(ls; pwd)', "( '/usr/bin/ls'; pwd )"],
    ['{ ls; pwd; } > out.txt', `{ '/usr/bin/ls'; pwd; } >'${workspace}/out.txt'`],
    ['cd sub && ls', `cd '${workspace}/sub' && '/usr/bin/ls'`],
    ['cd sub; ls', `{ cd '${workspace}/sub' || exit; }; '/usr/bin/ls'`],
    ['cd new && ls', "cd './new' && '/usr/bin/ls'"],
    ['ls ~ ~/src', "'/usr/bin/ls' '/home/ann' '/home/ann/src'"],
    ['ls a{1,2}.c {x..z}', "'/usr/bin/ls' 'a1.c' 'a2.c' 'x' 'y' 'z'"],
    ['ls *.c src/**/?.ts', "'/usr/bin/ls' ./*'.c' 'src/'**'/'?'.ts'"],
    ['pip install foo[bar]', "'/usr/bin/pip' 'install' 'foo'[bar]"],
    ['NODE_ENV=test npm test', "NODE_ENV='test' '/usr/bin/npm' 'test'"],
    ['timeout -s KILL 5 ls', "'/usr/bin/timeout' '-s' 'KILL' '5' '/usr/bin/ls'"],
    ['timeout --kill=3 5 ls', "'/usr/bin/timeout' '--kill=3' '5' '/usr/bin/ls'"],
    ['env A=b ls', "'/usr/bin/env' 'A=b' '/usr/bin/ls'"],
    ['time ls', "time '/usr/bin/ls'"],
    ['command ls', "'/usr/bin/ls'"],
    ['exec ls', "exec '/usr/bin/ls'"],
    ['bash -c "ls -l"', "'/usr/bin/ls' '-l'"],
    ["sh -c 'ls; pwd'", "'/usr/bin/sh' '-c' ''\\''/usr/bin/ls'\\''; pwd'"],
    ["zsh -lc 'ls; pwd'", "'/bin/bash' '--norc' '-c' ''\\''/usr/bin/ls'\\''; pwd'"],
    ['echo "exit: $?"', "printf '%s\\n' 'exit: '\"$?\""],
    ['echo -e "a\\tb"', "printf '%s\\n' 'a\tb'"],
    ['echo -n a b', "printf '%s' 'a b'"],
    ['[ "$USER" == ann ]', "[ 'ann' '=' 'ann' ]"],
    ['test -f a.txt', "test '-f' 'a.txt'"],
    ['set -euo pipefail; ls', "set '-euo' 'pipefail'; '/usr/bin/ls'"],
    ['command -v git', "command '-v' 'git'"],
    [
      'find . -name "*.c" -not -path "./x/*"',
      "'/usr/bin/find' '.' '-name' '*.c' '-not' '-path' './x/*'",
    ],
    ['git show HEAD^{commit} HEAD@{1}', "'/usr/bin/git' 'show' 'HEAD^{commit}' 'HEAD@{1}'"],
  ])('%j', (command, canonical) => {
    expect(outcome(command)).toBe(canonical);
  });
});

describe('the working directory is followed', () => {
  const cwds = (command: string): unknown => {
    const analysis = analyse(command);
    return analysis.ok ? analysis.plan.stages.map((stage) => stage.cwd) : analysis.reason;
  };

  test.each([
    ['cd sub && ls', [workspace, `${workspace}/sub`]],
    ['cd sub || ls', [workspace, workspace]],
    ['cd sub; ls', [workspace, `${workspace}/sub`]],
    ['cd sub/deep && cd .. && ls', [workspace, `${workspace}/sub/deep`, `${workspace}/sub`]],
    ['(cd sub && ls) && ls', [workspace, `${workspace}/sub`, workspace]],
    ['{ cd sub; ls; } && ls', [workspace, `${workspace}/sub`, `${workspace}/sub`]],
    ['cd sub | ls', [workspace, workspace]],
    ['cd elsewhere && ls', [workspace, '/home/ann/other']],
    ['cd new && ls', [workspace, null]],
    ['mkdir sub; cd sub && ls', [workspace, workspace, null]],
    ['cd && ls', [workspace, '/home/ann']],
    ['! cd sub && ls', [workspace, workspace]],
    ["bash -c 'cd sub && ls' && ls", [workspace, `${workspace}/sub`, workspace]],
  ])('%s', (command, expected) => {
    expect(cwds(command)).toEqual(expected);
  });
});

test('a single program without redirections needs no shell', () => {
  const analysis = analyse("bash -lc 'git status -s'");
  expect(analysis.ok && analysis.plan.execution).toEqual({
    kind: 'argv',
    file: '/usr/bin/git',
    argv: ['/usr/bin/git', 'status', '-s'],
  });
});

test('`time` is opaque where the shell has no such word', () => {
  expect(analyse('time ls', { shell: '/bin/dash' }).ok).toBe(false);
  expect(analyse('time ls', machine).ok).toBe(true);
});
