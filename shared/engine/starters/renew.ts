import type { ExampleCheck } from '../policy/edit.ts';
import type { PolicyDocument, Rule } from '../policy/types.ts';
import { bindStarter, starterGroups, starterSets, starterUpdate } from './bind.ts';
import type { StarterGroup, StarterUpdate } from './bind.ts';

/** One set for one project and one agent. */
export interface StarterPlace {
  readonly agent: string;
  /** A name that no set has is left out. */
  readonly set: string;
  /** The real absolute path of the project. */
  readonly folder: string;
}

/** A group as it stands, and as this version of Interlock would have it. */
export interface StarterRenewal extends StarterPlace, StarterUpdate {}

interface RenewalOptions {
  readonly check: ExampleCheck;
  readonly now: number;
  /** sha256 (hex) of a regular file, or null; absent: rules that hold a file are left out. */
  readonly hashFile?: (path: string) => string | null;
}

/**
 * What each of these sets would change in a policy, where nothing of it stands there yet as well.
 * `now` in milliseconds since the epoch; `check` tells which examples hold on this machine.
 */
export function renewStarters(
  document: PolicyDocument,
  wanted: readonly StarterPlace[],
  { check, now, hashFile }: RenewalOptions,
): readonly StarterRenewal[] {
  const groups = starterGroups(document);
  return wanted.flatMap(({ agent, set: name, folder }) => {
    const set = starterSets.find((each) => each.name === name);
    if (set === undefined) return [];
    const isSame = (group: StarterGroup): boolean =>
      group.agent === agent && group.set === name && group.folder === folder;
    const present = groups.find(isSame)?.rules ?? [];
    const rules = bindStarter(set, folder, now, hashFile).map((rule) => fitting(rule, check));
    return [{ agent, set: name, folder, ...starterUpdate(agent, present, rules) }];
  });
}

/**
 * A rule with those of its examples of "covered" that hold on this machine: a program that is not
 * installed, or not where only its owner writes, is covered by none. What must not be covered stays.
 */
function fitting(rule: Rule, check: ExampleCheck): Rule {
  const { match = [], ...others } = rule.examples ?? {};
  const holding = match.filter(
    (line) => check({ ...rule, examples: { match: [line] } }).length === 0,
  );
  return { ...rule, examples: { ...others, ...(holding.length > 0 && { match: holding }) } };
}

/**
 * What a coding agent runs on an ordinary day, a command each, in the folder of the project: for
 * telling what a set would cover before there is a history. Some of them no set covers.
 */
export const ordinaryDay: readonly string[] = [
  'ls -la',
  'pwd',
  'git status --short',
  'git diff --stat',
  'git log --oneline -20',
  'cat package.json',
  'rg -n parser src',
  'grep -rn "export function" src --include=*.ts',
  "find . -name '*.test.ts' -not -path './node_modules/*'",
  'head -40 README.md',
  "sed -n '1,80p' src/index.ts",
  'wc -l src/*.ts',
  'tree -L 2',
  'npm test',
  'npm run build',
  'npm run lint',
  'npx tsc --noEmit',
  'npx prettier --check .',
  'npx vitest run src/index.test.ts',
  'git diff HEAD~1 -- src | head -100',
  'npm test 2>&1 | tail -30',
  'git add -A',
  'git commit -m "Mend the parser"',
  'git branch --show-current',
  'git show HEAD --stat',
  'git switch -c mend-parser',
  'git stash list',
  'mkdir -p src/parser',
  'touch src/parser/words.ts',
  'cp src/index.ts src/parser/index.ts',
  'diff src/index.ts src/parser/index.ts',
  'node --version',
  'which node',
  "jq '.scripts' package.json",
  'du -sh node_modules',
  'ps aux',
  'cargo test',
  'cargo build --release',
  'go test ./...',
  'pytest -q',
  'ruff check .',
  'make test',
  'gh pr view 12',
  'gh issue list',
  'npm install zod',
  'pip install requests',
  'curl -s https://api.github.com/zen',
  'git push',
  'gh pr create --fill',
  'rm -rf dist',
  'docker build -t app .',
  'node scripts/seed.js',
  "python3 -c 'print(1)'",
  'cat .env',
  'npm publish',
];
