import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { expect, test } from '../support/console.ts';
import type { Interlock } from '../support/interlock.ts';

/**
 * How many answers and seconds a first session costs in the real page, from a fresh home:
 * `MEASURE=1 npx playwright test e2e/measure --workers 1`. What it prints is in docs/performance.md.
 */
test.skip(process.env['MEASURE'] === undefined, 'MEASURE=1 measures');
test.setTimeout(20 * 60_000);

/** Sixty commands of an agent that mends a small project. None of them needs a network. */
const session: readonly string[] = [
  'ls -la',
  'cat package.json',
  'git status --short',
  'git log --oneline -5',
  'ls src',
  'cat src/index.js',
  "sed -n '1,20p' src/index.js",
  'wc -l src/index.js',
  'grep -rn "parse" src',
  'find src -name "*.js"',
  'node --version',
  'npm test',
  'head -5 README.md',
  'git diff',
  'cat src/words.js',
  'grep -n "export" src/words.js',
  'npm test 2>&1 | tail -5',
  'mkdir -p src/parser',
  'touch src/parser/index.js',
  'cp src/words.js src/parser/words.js',
  'diff src/words.js src/parser/words.js',
  'git status',
  'git add -A',
  'git diff --cached --stat',
  'git commit -m "Begin the parser"',
  'git log --oneline -3',
  'git show HEAD --stat',
  'ls -la src/parser',
  'cat src/parser/index.js',
  'npm run build',
  'git status --short',
  'tail -3 README.md',
  'sort src/words.js | uniq | head -3',
  'for f in src/*.js; do wc -l "$f"; done',
  'npm test',
  'git diff --stat',
  'git branch --show-current',
  'git switch -c parser',
  'stat src/index.js',
  'du -sh src',
  'grep -rn "words" src | head -5',
  'mv src/parser/words.js src/parser/list.js',
  'git status --short',
  'git add src/parser',
  'git commit -m "Name the list"',
  'npm test',
  'node src/index.js',
  'git log --oneline -5',
  'cat README.md',
  'which node',
  'date',
  'ls',
  'rm src/parser/list.js',
  'git status --short',
  'git restore src/parser/list.js',
  'npm run build',
  'npm test',
  'git diff HEAD~1 --stat',
  'git log -1',
  'git status',
];

async function makeProject(folder: string): Promise<void> {
  const git = (...words: readonly string[]): void =>
    void execFileSync(
      'git',
      ['-c', 'user.name=Ana', '-c', 'user.email=ana@example.test', ...words],
      {
        cwd: folder,
      },
    );
  await mkdir(join(folder, 'src'), { recursive: true });
  const scripts = { test: 'node src/index.js', build: 'node --check src/index.js' };
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'app', scripts }, null, 2));
  await writeFile(join(folder, 'README.md'), '# App\n\nA small parser.\n');
  await writeFile(join(folder, 'src/index.js'), 'console.log("parse");\n');
  await writeFile(join(folder, 'src/words.js'), 'export const words = ["a", "b"];\n');
  git('init', '-q');
  git('config', 'user.name', 'Ana');
  git('config', 'user.email', 'ana@example.test');
  git('add', '-A');
  git('commit', '-qm', 'Begin');
}

interface Cost {
  asks: number;
  /** Presses of a button of the mouse; a hold is one. */
  clicks: number;
  /** From the prompt's appearance to the answer. */
  waited: number;
}

/** Answers what is on screen, unless a rule that was just made covers it first. */
async function answer(page: Page, cost: Cost, always: boolean): Promise<void> {
  const began = performance.now();
  const asked = page.locator('.prompt');
  const wide = page.locator('.allow-always');
  const hold = page.getByRole('button', { name: 'Hold to allow once' });
  const button =
    (await hold.count()) > 0
      ? hold
      : always && (await wide.count()) > 0
        ? wide
        : page.getByRole('button', { name: 'Allow once' });
  const isArmed = page.locator('.answers-allow .button[aria-disabled="false"]').first();
  await expect
    .poll(async () => (await asked.count()) === 0 || (await isArmed.count()) > 0)
    .toBe(true);
  if ((await asked.count()) === 0) return;
  await expect(button).toHaveAttribute('aria-disabled', 'false');
  cost.asks += 1;
  cost.clicks += 1;
  if ((await hold.count()) > 0) {
    await button.hover();
    await page.mouse.down();
    await expect(page.locator('.prompt')).toHaveCount(0);
    await page.mouse.up();
  } else await button.click();
  await expect(page.locator('.prompt')).toHaveCount(0);
  cost.waited += performance.now() - began;
}

async function work(
  page: Page,
  interlock: Interlock,
  { project, always, cost }: { project: string; always: boolean; cost: Cost },
): Promise<void> {
  for (const command of session) {
    const call = interlock.call('run', '--agent', 'claude', '--cwd', project, '-c', command);
    const ended = call.done.then(() => 'ended' as const);
    const asked = page.locator('.prompt');
    for (;;) {
      const pause = page.waitForTimeout(20).then(() => 'pause' as const);
      if ((await asked.count()) > 0) await answer(page, cost, always);
      else if ((await Promise.race([ended, pause])) === 'ended') break;
    }
    const { status, stderr } = await call.done;
    // A command may fail for reasons of its own; none of them may be refused.
    expect(stderr, `${command}: ${String(status)}`).not.toContain('interlock:');
  }
}

for (const [name, { always, starter }] of Object.entries({
  'Allow once each time': { always: false, starter: false },
  'Always where it is offered': { always: true, starter: false },
  'the starter for the project, then Always': { always: true, starter: true },
})) {
  test(`sixty commands: ${name}`, async ({ approver, interlock }) => {
    const project = join(interlock.work, 'app');
    await makeProject(project);
    const cost: Cost = { asks: 0, clicks: 0, waited: 0 };
    const began = performance.now();
    if (starter) {
      await approver.getByLabel('In this project and below').fill(project);
      const use = approver.getByRole('button', { name: /^Use these \d+ rules/ });
      await expect(use).toBeEnabled();
      await use.click();
      cost.clicks += 2;
      await expect(use).toHaveCount(0);
    }
    await work(approver, interlock, { project, always, cost });
    const seconds = (performance.now() - began) / 1000;
    console.log(
      `MEASURED ${name}: ${cost.asks} asks, ${cost.clicks} clicks, ` +
        `${(cost.waited / 1000).toFixed(0)} s of waiting for answers, ${seconds.toFixed(0)} s in all`,
    );
  });
}
