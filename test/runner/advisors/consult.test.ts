import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as soon } from 'node:timers/promises';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import type { AddressInfo } from 'node:net';
import type { Advice, Advised, AdvisorQuestion } from '../../../shared/engine/index.ts';
import { createAdvisors } from '../../../runner/advisors/consult.ts';
import { fakeClock } from '../../support/fake-clock.ts';

const question: AdvisorQuestion = {
  version: 1,
  agent: 'claude',
  kind: 'exec',
  host: 'sandbox',
  cwd: '/srv/app',
  command: 'make check',
  detail: null,
  programs: ['/usr/bin/make'],
  opaque: null,
  why: 'No rule covers it.',
  risk: { level: 'none', findings: [] },
};
const safe = '{"version":1,"answer":"safe","reason":"It only tests."}';
const uid = process.getuid?.() ?? 0;

interface Setup {
  readonly workspaces?: readonly string[];
  readonly signal?: AbortSignal;
  readonly asked?: AdvisorQuestion;
}

function temporaryDirectory(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'il-advisor-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function bench() {
  const folder = temporaryDirectory();
  const clock = fakeClock();
  let ids = 0;
  const advisors = createAdvisors({
    clock,
    uid,
    home: join(folder, 'home'),
    newId: () => `advice-${String(process.pid)}-${String((ids += 1))}`,
    atOnce: () => 2,
  });
  const written = (name: string, code: string): string => {
    const path = join(folder, name);
    writeFileSync(path, code, { mode: 0o700 });
    return path;
  };
  const ask = async (how: Advised['how'], setup: Setup = {}): Promise<Advice> =>
    advisors.consult({
      advised: { name: 'local', counts: 'note', onRefuse: 'hold', timeoutMs: 5_000, how },
      question: setup.asked ?? question,
      workspaces: setup.workspaces ?? ['/srv/app'],
      signal: setup.signal ?? new AbortController().signal,
    });
  /** A program of these statements; `question` is what it is told. */
  const program = (code: string): Advised['how'] => ({
    kind: 'program',
    argv: [process.execPath, written(`advisor-${String((ids += 1))}.mjs`, code)],
  });
  const run = async (code: string, setup: Setup = {}): Promise<Advice> => ask(program(code), setup);
  return { folder, clock, ask, program, run, written, considered: advisors.considered };
}

const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await soon();
};

it('is listed for as long as it looks at an ask, whatever comes of it', async () => {
  const { run, considered, clock } = bench();
  const over = new AbortController();
  const asked = run('setTimeout(() => {}, 1e9);', { signal: over.signal });
  const { agent, cwd, command } = question;
  const since = clock.now();
  expect(considered()).toEqual([{ agent, cwd, command, by: 'local', since, until: since + 5_000 }]);
  over.abort();
  expect(await asked).toMatchObject({ answer: 'none' });
  expect(considered()).toEqual([]);
});

describe('a program that advises', () => {
  it('is told of the ask as JSON, and says what it thinks', async () => {
    const { folder, run } = bench();
    const kept = join(folder, 'told.json');
    const advice = await run(
      `import { readFileSync, writeFileSync } from 'node:fs';
       writeFileSync(${JSON.stringify(kept)}, readFileSync(0));
       console.log(${JSON.stringify(safe)});`,
    );
    expect(advice).toEqual({ by: 'local', answer: 'safe', reason: 'It only tests.' });
    expect(JSON.parse(readFileSync(kept, 'utf8'))).toEqual(question);
  });

  it('is told no secret', async () => {
    const { folder, run } = bench();
    const kept = join(folder, 'told.json');
    const token = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`;
    await run(
      `import { readFileSync, writeFileSync } from 'node:fs';
       writeFileSync(${JSON.stringify(kept)}, readFileSync(0));
       console.log(${JSON.stringify(safe)});`,
      { asked: { ...question, command: `curl -H 'Authorization: Bearer ${token}' x`, why: token } },
    );
    expect(readFileSync(kept, 'utf8')).not.toContain(token);
  });

  it('runs in / with an environment of its own', async () => {
    const { folder, run } = bench();
    const kept = join(folder, 'seen.json');
    await run(
      `import { writeFileSync } from 'node:fs';
       writeFileSync(${JSON.stringify(kept)}, JSON.stringify([process.cwd(), Object.keys(process.env)]));
       console.log(${JSON.stringify(safe)});`,
    );
    const [cwd, names] = JSON.parse(readFileSync(kept, 'utf8')) as [string, string[]];
    expect(cwd).toBe('/');
    expect(names.toSorted()).toEqual([
      'HOME',
      'INTERLOCK_RUN_HOME',
      'INTERLOCK_RUN_ID',
      'LANG',
      'PATH',
    ]);
  });

  it.each([
    [
      'ends with another status than 0',
      `console.log('${safe}'); process.exitCode = 3;`,
      /status 3/,
    ],
    ['is ended by a signal', `process.kill(process.pid, 'SIGTERM');`, /SIGTERM/],
    ['says nothing', '', /does not count/],
    ['says what is not JSON', `console.log('safe');`, /does not count/],
    ['says more than one object', `console.log('${safe}\\n${safe}');`, /does not count/],
    [
      'says a field that nobody knows',
      `console.log('{"version":1,"answer":"safe","reason":"x","allow":true}');`,
      /does not count/,
    ],
    [
      'says the same field twice',
      `console.log('{"version":1,"answer":"refuse","answer":"safe","reason":"x"}');`,
      /does not count/,
    ],
    [
      'says another word',
      `console.log('{"version":1,"answer":"allow","reason":"x"}');`,
      /not count/,
    ],
    [
      'says another version',
      `console.log('{"version":2,"answer":"safe","reason":"x"}');`,
      /not count/,
    ],
    ['gives no reason', `console.log('{"version":1,"answer":"safe","reason":""}');`, /not count/],
    ['writes too much', `process.stdout.write(' '.repeat(64 * 1024) + '${safe}');`, /too much/],
  ])('does not count when it %s', async (_what, code, why) => {
    const advice = await bench().run(code);
    expect(advice.answer).toBe('none');
    expect(advice.reason).toMatch(why);
  });

  it('does not count when it is not there', async () => {
    const advice = await bench().ask({ kind: 'program', argv: ['/nowhere/advisor'] });
    expect(advice).toMatchObject({ answer: 'none', reason: expect.stringContaining('not there') });
  });

  it('is killed with all that it started when its time is over', async () => {
    const { folder, clock, run } = bench();
    const pids = join(folder, 'pids');
    const asked = run(
      `import { spawn } from 'node:child_process';
       import { renameSync, writeFileSync } from 'node:fs';
       const away = spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' });
       const near = spawn('sleep', ['1000'], { stdio: 'inherit' });
       writeFileSync('${pids}.new', JSON.stringify([process.pid, away.pid, near.pid]));
       renameSync('${pids}.new', '${pids}');`,
    );
    await until(() => existsSync(pids));
    const started = JSON.parse(readFileSync(pids, 'utf8')) as number[];
    clock.advance(5_000);
    expect(await asked).toMatchObject({ answer: 'none', reason: 'it took longer than 5 s.' });
    await until(() => started.every((pid) => !isAlive(pid)));
  });

  it('is killed when the ask is over, as by a lockout', async () => {
    const { folder, run } = bench();
    const began = join(folder, 'began');
    const over = new AbortController();
    const asked = run(
      `import { writeFileSync } from 'node:fs';
       writeFileSync(${JSON.stringify(began)}, String(process.pid));
       setInterval(() => {}, 1000);`,
      { signal: over.signal },
    );
    await until(() => existsSync(began) && readFileSync(began, 'utf8') !== '');
    over.abort();
    expect(await asked).toMatchObject({ answer: 'none', reason: 'the ask was over.' });
    await until(() => !isAlive(Number(readFileSync(began, 'utf8'))));
  });

  it('is not started for an ask that is over already', async () => {
    const { folder, run } = bench();
    const began = join(folder, 'began');
    const over = new AbortController();
    over.abort();
    const advice = await run(
      `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(began)}, '');`,
      { signal: over.signal },
    );
    expect(advice.answer).toBe('none');
    expect(existsSync(began)).toBe(false);
  });

  it('answers many asks two at a time, and those that wait use up their own time', async () => {
    const { folder, clock, run } = bench();
    const logs = join(folder, 'began');
    mkdirSync(logs);
    const go = join(folder, 'go');
    const code = `import { existsSync, writeFileSync } from 'node:fs';
      writeFileSync(${JSON.stringify(logs)} + '/' + process.pid, '');
      const wait = setInterval(() => {
        if (!existsSync(${JSON.stringify(go)})) return;
        clearInterval(wait);
        console.log(${JSON.stringify(safe)});
      }, 5);`;
    const asked = Array.from({ length: 6 }, async () => run(code));
    await until(() => readdirSync(logs).length === 2);
    clock.advance(4_000);
    expect(readdirSync(logs)).toHaveLength(2);
    writeFileSync(go, '');
    const answers = await Promise.all(asked);
    expect(answers.map(({ answer }) => answer)).toEqual(Array.from({ length: 6 }, () => 'safe'));
    expect(readdirSync(logs)).toHaveLength(6);
  });
});

describe('the place of a program that advises', () => {
  const place = async (prepare: (b: ReturnType<typeof bench>) => [Advised['how'], Setup?]) => {
    const b = bench();
    const [how, setup] = prepare(b);
    return b.ask(how, setup);
  };

  it('is not a folder where the agent works', async () => {
    const advice = await place((b) => [
      b.program(`console.log('${safe}')`),
      { workspaces: [b.folder] },
    ]);
    expect(advice.reason).toContain('where an agent works');
  });

  it('may be INTERLOCK_HOME, wherever the agent works', async () => {
    const advice = await place((b) => {
      mkdirSync(join(b.folder, 'home', 'advisors'), { recursive: true });
      const path = b.written('home/advisors/a.sh', `#!/bin/sh\necho '${safe}'\n`);
      return [{ kind: 'program', argv: [path] }, { workspaces: [b.folder] }];
    });
    expect(advice.answer).toBe('safe');
  });

  it.each([
    ['a file that others may write', (path: string) => chmodSync(path, 0o777)],
    ['a folder that others may write', (path: string) => chmodSync(join(path, '..'), 0o777)],
  ])('is not %s', async (_what, loosen) => {
    const advice = await place((b) => {
      mkdirSync(join(b.folder, 'open'));
      const path = b.written('open/a.sh', `#!/bin/sh\necho '${safe}'\n`);
      loosen(path);
      return [{ kind: 'program', argv: [path] }];
    });
    expect(advice.reason).toContain('can be written by others');
  });

  it('is looked at behind links and for files among its arguments', async () => {
    const work = temporaryDirectory();
    writeFileSync(join(work, 'x.mjs'), `console.log('${safe}')`, { mode: 0o600 });
    const setup = { workspaces: [work] };
    const linked = await place((b) => {
      symlinkSync(join(work, 'x.mjs'), join(b.folder, 'link.mjs'));
      const argv = [process.execPath, join(b.folder, 'link.mjs')];
      return [{ kind: 'program', argv }, setup];
    });
    const option = await place(() => [
      { kind: 'program', argv: [process.execPath, `--import=${join(work, 'x.mjs')}`] },
      setup,
    ]);
    expect(linked.reason).toContain('where an agent works');
    expect(option.reason).toContain('where an agent works');
  });
});

describe('a server that advises', () => {
  const open: (() => void)[] = [];
  afterEach(() => {
    for (const close of open.splice(0)) close();
  });
  const serve = async (listener: RequestListener): Promise<Advised['how']> => {
    const server = createServer(listener);
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    open.push(() => {
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    return { kind: 'server', url: `http://127.0.0.1:${String(port)}/advise` };
  };

  it('is posted the ask, and says what it thinks', async () => {
    const told: Buffer[] = [];
    const how = await serve((asked, answer) => {
      asked.on('data', (chunk: Buffer) => told.push(chunk));
      asked.on('end', () => answer.end(safe));
    });
    expect((await bench().ask(how)).answer).toBe('safe');
    expect(JSON.parse(Buffer.concat(told).toString())).toEqual(question);
  });

  it.each<[string, RequestListener, RegExp]>([
    [
      'sends elsewhere',
      (_asked, answer) => void answer.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(safe),
      /status 307/,
    ],
    [
      'answers with an error',
      (_asked, answer) => void answer.writeHead(500).end(safe),
      /status 500/,
    ],
    ['answers too much', (_asked, answer) => void answer.end(' '.repeat(64 * 1024)), /too much/],
    ['answers what is not JSON', (_asked, answer) => void answer.end('safe'), /does not count/],
    [
      'breaks off',
      (_asked, answer) => {
        answer.writeHead(200, { 'content-length': '500' });
        answer.write(safe);
        setImmediate(() => answer.destroy());
      },
      /broke off|could not be reached/,
    ],
  ])('does not count when it %s', async (_what, listener, why) => {
    const advice = await bench().ask(await serve(listener));
    expect(advice.answer).toBe('none');
    expect(advice.reason).toMatch(why);
  });

  it('does not count when it takes too long', async () => {
    const { clock, ask } = bench();
    let came = false;
    const how = await serve(() => void (came = true));
    const asked = ask(how);
    await until(() => came);
    clock.advance(5_000);
    expect(await asked).toMatchObject({ answer: 'none', reason: 'it took longer than 5 s.' });
  });

  it('does not count when nobody listens', async () => {
    const advice = await bench().ask({ kind: 'server', url: 'http://127.0.0.1:1/' });
    expect(advice).toMatchObject({ answer: 'none', reason: 'it could not be reached.' });
  });

  it('is asked on loopback alone', async () => {
    const advice = await bench().ask({ kind: 'server', url: 'http://10.0.0.1:80/' });
    expect(advice.reason).toContain('not on loopback');
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s*Z/mu.test(readFileSync(`/proc/${String(pid)}/status`, 'utf8'));
  } catch {
    return false;
  }
}
