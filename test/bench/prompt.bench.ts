import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { chromium } from 'playwright';
import type { Page } from 'playwright';
import { runnerClient } from '../../shared/ipc/index.ts';

/** What a person waits for, in milliseconds. */
export interface PromptFigures {
  /** From the start of runner and console to the page that has the state. */
  readonly startMs: number;
  /** From there to the first ask on screen, an agent having asked: grammar and all are loaded. */
  readonly firstMs: number;
  readonly rounds: number;
  /** From the agent's request to its command on screen, warm. */
  readonly medianMs: number;
  readonly mostMs: number;
}

const installed = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Fewer than make the runner pause by itself: each ask here ends without an answer. */
const rounds = 15;
const patienceMs = 60_000;

/** Tells, by the machine's clock, when each command was first painted in the prompt. */
const watchPrompt = `
  const told = new Set();
  new MutationObserver(() => {
    const text = document.querySelector('.command-text')?.textContent ?? '';
    const mark = /mark-\\d+/.exec(text)?.[0];
    if (mark === undefined || told.has(mark)) return;
    told.add(mark);
    requestAnimationFrame(() => window.tellSeen(mark, Date.now()));
  }).observe(document, { subtree: true, childList: true, characterData: true });
`;

/** Measures start and prompts with the real runner, console and Chromium; null without a Chromium. */
export async function measurePrompts(dist: string): Promise<PromptFigures | null> {
  const executablePath = installed.find((path) => existsSync(path));
  if (executablePath === undefined && !existsSync(chromium.executablePath())) return null;
  const folder = mkdtempSync(join(tmpdir(), 'il-bench-'));
  const home = join(folder, 'home');
  const env = { ...process.env, INTERLOCK_HOME: home };
  const children: ChildProcess[] = [];
  const start = (script: string, ...args: readonly string[]): ChildProcess => {
    const child = spawn(process.execPath, [join(dist, script), ...args], {
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    children.push(child);
    return child;
  };
  await ended(start('runner/cli/main.js', 'init', '--host', 'gateway'));
  // The browser is there before the agent is, as a person's is.
  const browser = await chromium.launch(executablePath === undefined ? {} : { executablePath });
  try {
    const page = await browser.newPage();
    const seen = new Map<string, (at: number) => void>();
    await page.exposeFunction('tellSeen', (mark: string, at: number) => seen.get(mark)?.(at));
    await page.addInitScript(watchPrompt);
    const began = performance.now();
    start('runner/main.js');
    await page.goto(await linkOf(start('app/console/main.js')));
    await page.getByText('Armed').waitFor();
    const startMs = performance.now() - began;
    const client = runnerClient({ socketPath: join(home, 'runner.sock') });
    const times: number[] = [];
    for (let round = 0; round <= rounds; round += 1)
      times.push(await oneAsk(page, { client, round, seen }));
    const [firstMs = 0, ...warm] = times;
    const sorted = warm.toSorted((a, b) => a - b);
    return {
      startMs,
      firstMs,
      rounds,
      medianMs: sorted[Math.floor(sorted.length / 2)] ?? 0,
      mostMs: sorted.at(-1) ?? 0,
    };
  } finally {
    await browser.close();
    await Promise.all(
      children.map(async (child) => {
        child.kill('SIGTERM');
        await ended(child);
      }),
    );
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Raises an ask, waits until it is on screen, takes it back; answers how long the first part took. */
async function oneAsk(
  page: Page,
  {
    client,
    round,
    seen,
  }: {
    readonly client: ReturnType<typeof runnerClient>;
    readonly round: number;
    readonly seen: Map<string, (at: number) => void>;
  },
): Promise<number> {
  const mark = `mark-${String(round)}`;
  const onScreen = new Promise<number>((resolve, reject) => {
    seen.set(mark, resolve);
    const late = (): void => reject(new Error(`${mark} was never shown`));
    AbortSignal.timeout(patienceMs).addEventListener('abort', late, { once: true });
  });
  const agent = new AbortController();
  const asked = Date.now();
  const done = (async () => {
    const request = { argv: ['rm', mark], cwd: '/tmp', agent: 'bench' };
    for await (const event of client.exec(request, agent.signal))
      if (event.type === 'refused') return;
  })().catch(() => undefined);
  const at = await onScreen;
  agent.abort();
  await done;
  await page.locator('.command-text').waitFor({ state: 'detached' });
  return at - asked;
}

async function linkOf(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('the console has no output');
  for await (const line of createInterface({ input: child.stdout })) {
    const link = /http:\/\/\S+/u.exec(line)?.[0];
    if (link !== undefined) return link;
  }
  throw new Error('the console ended before it printed its link');
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  await new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
  });
}
