import { describe, expect, test } from 'vitest';
import { analyse, outcome, workspace } from './support/machine.ts';

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
