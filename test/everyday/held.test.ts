import { describe, expect, it } from 'vitest';
import { sha256 } from '../../shared/base/index.ts';
import { addRules, firstPolicy } from '../../shared/engine/policy/edit.ts';
import type { Rule } from '../../shared/engine/policy/types.ts';
import { bindStarter, starterSets, startersFor } from '../../shared/engine/starters/bind.ts';
import { cwd } from '../support/stages.ts';
import { batchOf, everydayEngine, policyWith } from './machine.ts';

const engine = everydayEngine();
const lines = (texts: readonly string[]) =>
  texts.map((text) => ({ session: 'h', wanted: 'ask', kind: 'exec', text }) as const);

async function asked(texts: readonly string[], document = policyWith('project')) {
  const verdicts = await batchOf(engine, document, lines(texts));
  return texts.filter((_, at) => verdicts[at]?.verdict !== 'allow');
}

/** As if a file had been another when the set was bound. */
function boundTo(path: string) {
  const hashFile = (at: string): string | null =>
    at === `${cwd}/${path}` ? sha256('other') : null;
  const rules = startersFor('project').flatMap((set) => bindStarter(set, cwd, 0, hashFile));
  const edited = addRules(firstPolicy({ path: '/x', token: 'x' }), { agent: '*', rules });
  if (!edited.ok) throw new Error(edited.problem.message);
  return edited.document;
}

const covered = {
  gradlew: ['./gradlew test', './gradlew -q :services:orders:build'],
  mvnw: ['./mvnw -q test'],
  artisan: ['php artisan test --filter=X', 'php artisan route:list', 'php artisan make:model A'],
  'vendor/bin/phpunit': ['vendor/bin/phpunit', './vendor/bin/phpunit --filter x'],
  'vendor/bin/phpstan': ['vendor/bin/phpstan analyse app'],
};

describe('programs and consoles of the project itself', () => {
  it.each(Object.entries(covered))(
    'run as they were when the set was bound: %s',
    async (_, texts) => {
      expect(await asked(texts)).toEqual([]);
    },
  );

  it.each(Object.entries(covered))(
    'are asked about once they have changed: %s',
    async (path, texts) => {
      expect(await asked(texts, boundTo(path))).toEqual(texts);
    },
  );

  it('do no more than tests, builds and checks', async () => {
    const others = [
      './gradlew publish',
      './gradlew test publish',
      './gradlew -I /tmp/x.gradle test',
      './gradlew --init-script=x.gradle test',
      './gradlew -p /tmp/x test',
      './mvnw deploy',
      './mvnw -s /tmp/x.xml test',
      'php artisan migrate',
      'php artisan db:wipe',
      'php artisan tinker',
      'php artisan key:generate',
      'php -d auto_prepend_file=x artisan test',
      'php ./artisan2 test',
      'php artisan',
      'cd src && php artisan test',
      'vendor/bin/phpunit --bootstrap /tmp/x.php',
      'vendor/bin/phpstan analyse -c /tmp/x.neon',
      'vendor/bin/dep deploy',
      'echo x > artisan; php artisan test',
      'PHPRC=/tmp php artisan test',
      'PHP_INI_SCAN_DIR=/tmp vendor/bin/phpunit',
    ];
    expect(await asked(others)).toEqual(others);
  });

  it('are left out where there is no such file', () => {
    const ids = starterSets.flatMap((set) => bindStarter(set, cwd, 0)).map(({ id }: Rule) => id);
    expect(ids.filter((id) => /wrapper|vendor-|artisan|django/.test(id))).toEqual([]);
  });
});

describe('what tests print', () => {
  it('may lie in /tmp for a while as text, and nowhere else', async () => {
    expect(await asked(['npm test > /tmp/a.log 2>&1', 'npm test 2>&1 | tee /tmp/a.txt'])).toEqual(
      [],
    );
    const others = [
      'npm test > /tmp/a.sh',
      'npm test > /tmp/.a.log',
      'npm test > /tmp/x/a.log',
      'npm test > /tmp/../etc/a.log',
      'npm test > /var/tmp/a.log',
      'echo x > /tmp/a.py',
      'echo x > /tmp/.X0-lock',
      'cp .env /tmp/a.txt',
      'cat .env > /tmp/a.txt',
    ];
    expect(await asked(others)).toEqual(others);
  });
});
