import { expect, it } from 'vitest';
import { batchOf, everydayEngine, policyWith } from './machine.ts';

const lineOf = (text: string) => ({ session: 'x', wanted: 'quiet', kind: 'exec', text }) as const;

it.each([
  'git switch x && npm test',
  'git switch x && ls -la && git log --oneline -3',
  'git status && ./gradlew test',
  'git add a.txt && ./gradlew test',
  'curl -s localhost:8000/up; ./gradlew test',
  'sleep 1; kill %1; ./gradlew test',
  'npm test && cd docs && cat notes.md',
  'npm test > out.log 2>&1; tail out.log',
  'git status; npm test > out.log',
  './gradlew test | tee out.log',
  'mv notes.md n2.md && cat n2.md',
  'mv docs/notes.md docs/n2.md && sed -n 1,3p docs/n2.md',
  'cp notes.md docs/ && cat docs/notes.md',
  'cat notes.md && git stash pop',
  'mkdir -p out && ./gradlew test',
  "sed -i 's/a/b/' src/app.ts && ./gradlew test",
  './gradlew build; ./gradlew test',
  './gradlew build > build.log 2>&1; ./gradlew test',
  'php artisan config:clear && php artisan test',
  'bin/rails stats; bin/rails about',
])('an earlier part that changes nothing of it costs no ask: %s', async (text) => {
  const [verdict] = await batchOf(everydayEngine(), policyWith('project'), [lineOf(text)]);
  expect(verdict).toMatchObject({ verdict: 'allow' });
});

/** Lists of names from a tree or from Git's own list, handed to what edits or checks those files. */
const handed = [
  "rg -l RaisedButton lib | xargs sed -i 's/RaisedButton/ElevatedButton/g'",
  "find src -name '*.cs' | xargs sed -i -E -e 's/a+/b/' -e '/c/d'",
  "git ls-files '*.go' | xargs gofmt -l",
  "git diff --name-only -- '*.py' | xargs -r ruff check",
  "git diff --name-only --diff-filter=d HEAD~2 -- '*.cpp' | xargs -r clang-format --dry-run",
  "git grep -l OldName -- '*.rs' | xargs sed -i 's/OldName/NewName/g'",
];

it('needs nobody to edit or check files that are listed, where none of them steers', async () => {
  const verdicts = await batchOf(everydayEngine(), policyWith('project'), handed.map(lineOf));
  expect(handed.filter((_, at) => verdicts[at]?.verdict !== 'allow')).toEqual([]);
});
