import { describe, expect, test } from 'vitest';
import { analyse, outcome, trustOf, workspace } from './support/machine.ts';

describe('loops, conditions and cases are plans in which every way is written out', () => {
  test.each([
    ['for i in a; do rm $i; done', "for i in 'a'; do '/usr/bin/rm' 'a'; done"],
    [
      'for f in *.txt *.none; do cat "$f"; done',
      "{ for f in 'a.txt'; do '/usr/bin/cat' 'a.txt'; done; for f in '*.none'; do '/usr/bin/cat' '*.none'; done; }",
    ],
    [
      "for f in -rf 'a b'; do rm $f; done",
      "{ for f in '-rf'; do '/usr/bin/rm' '-rf'; done; for f in 'a b'; do '/usr/bin/rm' 'a' 'b'; done; }",
    ],
    [
      'for f in a b; do ls "$f" || continue; cat "$f" && break; done',
      "for f in 'a'; do for f in 'a'; do '/usr/bin/ls' 'a' || continue; '/usr/bin/cat' 'a' && break 2; done; for f in 'b'; do '/usr/bin/ls' 'b' || continue; '/usr/bin/cat' 'b' && break 2; done; done",
    ],
    [
      'for f in a.ts; do mv "$f" "${f%.ts}.js"; done',
      "for f in 'a.ts'; do '/usr/bin/mv' 'a.ts' 'a.js'; done",
    ],
    [
      'for f in a b; do cat <<E\n$f\nE\ndone',
      "{ for f in 'a'; do '/usr/bin/cat' <<'END'; done; for f in 'b'; do '/usr/bin/cat' <<'END'; done; }\na\nEND\nb\nEND\n",
    ],
    [
      'for f in a; do ls; done > out.txt',
      `for f in 'a'; do '/usr/bin/ls'; done >'${workspace}/out.txt'`,
    ],
    ['for f in $EMPTY; do rm x; done', ':'],
    [
      'n=0; for f in a; do n=$((n+1)); ls $n; done',
      "n='0'; for f in 'a'; do n='1'; '/usr/bin/ls' '1'; done",
    ],
    [
      'for d in sub; do (cd $d && ls); done',
      `for d in 'sub'; do ( cd '${workspace}/sub' && '/usr/bin/ls' ); done`,
    ],
    [
      'if [ -f a.txt ]; then cat a.txt; elif [[ -d sub ]]; then ls sub; else echo no; fi',
      "if [ '-f' 'a.txt' ]; then '/usr/bin/cat' 'a.txt'; elif [ '-d' 'sub' ]; then '/usr/bin/ls' 'sub'; else printf '%s\\n' 'no'; fi",
    ],
    ['if ! ls\nthen\n  exit 1\nfi\nls', "if ! '/usr/bin/ls'; then exit '1'; fi; '/usr/bin/ls'"],
    [
      'case $USER in ann|b*) git status;; (x) ;; esac',
      "case 'ann' in 'ann' | 'b'*) '/usr/bin/git' 'status';; 'x') ;; esac",
    ],
    ['while true; do id; done', "while true; do '/usr/bin/id'; done"],
    ['until ls; do sleep 1; done', "until '/usr/bin/ls'; do '/usr/bin/sleep' '1'; done"],
    [
      'while :; do ls && break; sleep 1; done | sort',
      "while :; do '/usr/bin/ls' && break; '/usr/bin/sleep' '1'; done | '/usr/bin/sort'",
    ],
  ])('%j', (command, canonical) => {
    expect(outcome(command)).toBe(canonical);
  });
});

describe('what a command prints is a word that nobody knows', () => {
  test.each([
    ['echo "v$(git describe)"', `printf '%s\\n' 'v'"$( '/usr/bin/git' 'describe' )"`],
    ['echo "`date`"', `printf '%s\\n' "$( '/usr/bin/date' )"`],
    ['V=$(date) && echo "$V"', `V="$( '/usr/bin/date' )" && printf '%s\\n' "$V"`],
    ['git commit -m "$(date)"', `'/usr/bin/git' 'commit' '-m' "$( '/usr/bin/date' )"`],
    ['[ "$(ls | wc -l)" -gt 3 ]', `[ "$( '/usr/bin/ls' | '/usr/bin/wc' '-l' )" '-gt' '3' ]`],
    [
      'case "$(cat a.txt)" in 1.*) ls;; esac',
      `case "$( '/usr/bin/cat' 'a.txt' )" in '1.'*) '/usr/bin/ls';; esac`,
    ],
    [
      'for p in $(ls -t) x; do echo "$p"; done',
      `for p in $( '/usr/bin/ls' '-t' ) 'x'; do printf '%s\\n' "$p"; done`,
    ],
    [
      'while read -r a b; do echo "$b"; done < a.txt',
      `while read -r a b; do printf '%s\\n' "$b"; done <'${workspace}/a.txt'`,
    ],
    ['diff <(sort a.txt) a.txt', `'/usr/bin/diff' <( '/usr/bin/sort' 'a.txt' ) 'a.txt'`],
  ])('%j', (command, canonical) => {
    expect(outcome(command)).toBe(canonical);
  });

  test('what runs inside stands in the plan, before what takes its output', () => {
    const analysis = analyse('cat a.txt | grep -e "$(head -1 a.txt)" <(sort a.txt)');
    expect(analysis.ok && analysis.plan.stages.map((stage) => stage.argv)).toEqual([
      ['cat', 'a.txt'],
      ['head', '-1', 'a.txt'],
      ['sort', 'a.txt'],
      ['grep', '-e', '$(…)', '/dev/fd/63'],
    ]);
  });

  test.each([
    ['ls "$(date)"', 'never'],
    ['ls -- "$(date)"', 'never'],
    ['X=$(date); ls "$X"', 'never'],
    ['git commit -m x "$(date)"', 'never'],
    ['git commit "-$(date)"', 'never'],
    ['grep "$(date)" a.txt', 'never'],
    ['grep -- "$(date)" a.txt', 'open'],
    ['grep -e "$(date)" a.txt', 'open'],
    ['grep -e x -f "$(date)" a.txt', 'never'],
    ['curl "https://x/$(date)"', 'never'],
    ['python3 -c "$(date)"', 'never'],
    ['bash <(date)', 'never'],
    ['tee <(date)', 'never'],
    ['sort -o <(date)', 'never'],
    ['nope "$(date)"', 'missing'],
    ['echo "$(curl x)" | sqlite3 a', 'never'],
    ['X=$(curl x); echo "$X" | sqlite3 a', 'never'],
    ['echo "$(touch git)"; ./mygit', 'never'],
    ['echo $(date)', 'command-substitution'],
    ['ls $(date)', 'command-substitution'],
    ['X=$(date); ls $X', 'parameter-expansion'],
    ['X=$(date); ls ${X%a}', 'parameter-expansion'],
    ['export X=$(date)', 'command-substitution'],
    ['USER=$(date); ls', 'assignment'],
    ['FOO=$(date) ls', 'command-substitution'],
    ['read -r IFS', 'unsafe-environment'],
    ['read -r USER', 'assignment'],
    ['read -ra X', 'builtin'],
    ['echo "$(date) $?"', 'parameter-expansion'],
    ['echo "$(<a.txt)"', 'command-substitution'],
    ['echo "$()"', 'syntax-error'],
    ['echo "`echo \\`id\\``"', 'command-substitution'],
    ['cat <<E\n$(date)\nE', 'heredoc-expansion'],
    ['echo -e "$(date)"', 'builtin'],
    ['sh -c \'echo "$(date)"\'', 'builtin'],
  ])('%j: %s', (command, expected) => {
    expect(trustOf(command)).toBe(expected);
  });
});

describe('what runs in the background', () => {
  test.each([
    ['ls & git status', "{ '/usr/bin/ls' & }; '/usr/bin/git' 'status'"],
    ['ls && git status & wait', "{ '/usr/bin/ls' && '/usr/bin/git' 'status' & }; wait"],
    ['(ls &)', "( { '/usr/bin/ls' & } )"],
    ['sleep 5 & jobs; kill %1', "{ '/usr/bin/sleep' '5' & }; jobs; kill '%1'"],
  ])('%j', (command, canonical) => {
    expect(outcome(command)).toBe(canonical);
  });

  test.each([
    ['./mygit & touch mygit', 'never'],
    ['touch mygit & ./mygit', 'never'],
    ['while git status; do ./mygit & touch x; done', 'never'],
    ['ls > out.txt & ln -s /etc/passwd out.txt', 'redirect'],
    ['A=x & ls $A', 'parameter-expansion'],
    ['for f in a; do break & done', 'builtin'],
    ['ls & && ls', 'syntax-error'],
    ['kill $!', 'parameter-expansion'],
    ['kill %ls', 'builtin'],
    ['coproc ls', 'background'],
  ])('%j: %s', (command, expected) => {
    expect(trustOf(command)).toBe(expected);
  });

  test('leaves the folder of what follows as it was', () => {
    const analysis = analyse('cd sub && ls & ls');
    expect(analysis.ok && analysis.plan.stages.map(({ cwd }) => cwd)).toEqual([
      workspace,
      `${workspace}/sub`,
      workspace,
    ]);
  });
});

describe('what the shell remembers is followed along every way', () => {
  const argvs = (command: string): unknown => {
    const analysis = analyse(command);
    return analysis.ok ? analysis.plan.stages.map((stage) => stage.argv) : analysis.reason;
  };
  const cwds = (command: string): unknown => {
    const analysis = analyse(command);
    return analysis.ok ? analysis.plan.stages.map((stage) => stage.cwd) : analysis.reason;
  };

  test('a folder that a round may have left is not known behind it', () => {
    expect(cwds('for d in sub; do ls; cd $d; done; ls')).toEqual([workspace, workspace, null]);
    expect(cwds('for d in sub; do cd $d; ls; done; ls')).toEqual([
      workspace,
      `${workspace}/sub`,
      `${workspace}/sub`,
    ]);
    expect(cwds('if ls; then cd sub; fi; ls')).toEqual([workspace, workspace, null]);
  });

  test('a variable is known behind a branch only where each sets the same', () => {
    expect(argvs('if ls; then A=x; else A=x; fi; ls $A')).toContainEqual(['ls', 'x']);
    expect(argvs('if ls; then A=x; else A=y; fi; ls $A')).toBe('parameter-expansion');
    expect(argvs('if ls; then A=x; fi; ls $A')).toBe('parameter-expansion');
    expect(argvs('for f in a b; do A=$f; done; ls $A $f')).toContainEqual(['ls', 'b', 'b']);
    expect(argvs('for f in a b; do ls && break; done; ls $f')).toBe('parameter-expansion');
    expect(argvs('for f in a b; do ls || continue; A=x; done; ls $A')).toBe('parameter-expansion');
  });

  test('what runs in a round is no longer trusted where the round before could change it', () => {
    const trust = (command: string): unknown => {
      const analysis = analyse(command);
      return analysis.ok ? analysis.plan.stages.map((stage) => stage.trust.level) : analysis.reason;
    };
    expect(trust('git status; ./mygit')).toEqual(['open', 'named']);
    expect(trust('while git status; do ./mygit; touch x; done')).toEqual(['open', 'never', 'open']);
    expect(trust('for f in a b; do ./mygit; touch x; done')).toEqual([
      'named',
      'open',
      'never',
      'open',
    ]);
  });
});
