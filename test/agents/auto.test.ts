import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { whyNot } from '../runner/hosts/sandbox/support.ts';
import { auditRows, startApprover, startRunnerProcess } from '../runner/service/support.ts';
import { byContract } from './support/by-contract.ts';
import { startScript } from './support/model/server.ts';
import type { Step } from './support/model/server.ts';
import { claude } from './support/programs/claude.ts';
import { codex } from './support/programs/codex.ts';
import { gemini } from './support/programs/gemini.ts';
import { kilo } from './support/programs/kilo.ts';
import { opencode } from './support/programs/opencode.ts';
import { realProgram } from './support/programs/real-agent.ts';
import { setStage } from './support/stage.ts';
import type { Stage } from './support/stage.ts';

vi.setConfig({ testTimeout: 600_000 });

/** A command, or one that is made from what the commands before it gave back. */
type Command = string | ((results: readonly string[]) => string);

/** An agent, real or played, that runs one command after the other and reads what each gives. */
interface Player {
  readonly name: string;
  /** Whether its shell's folder lasts from call to call. */
  readonly keepsFolder: boolean;
  readonly run: (stage: Stage, commands: readonly Command[]) => Promise<readonly string[]>;
}

function played(host: 'claude'): Player {
  return {
    keepsFolder: false,
    name: `a host that keeps to the contract of ${host}`,
    run: async (stage, commands) => {
      const results: string[] = [];
      for (const one of commands) {
        const command = typeof one === 'string' ? one : one(results);
        const { ended } = await byContract(host).start({ ...stage, command });
        results.push(await ended);
      }
      return results;
    },
  };
}

const known = [claude, codex, gemini, opencode, kilo].flatMap((of): readonly Player[] => {
  const found = realProgram(of, process.env);
  if (!found.ok) {
    process.stderr.write(`NOT TESTED: ${of.host} with a sandbox, because ${found.why}\n`);
    return [];
  }
  return [
    {
      keepsFolder: of.host === 'claude',
      name: `${of.pin.name} ${of.pin.version}`,
      run: async (stage, commands) => {
        const steps = commands.map((one): Step => {
          if (typeof one === 'string') return { shell: one };
          return (results) => ({ shell: one(results) });
        });
        const model = await startScript(steps);
        const launch = { model: model.address, gated: true };
        const said = await of.launch(found.path, stage, launch).ended;
        expect(model.results(), said).toHaveLength(commands.length);
        return model.results();
      },
    },
  ];
});

/** A project with its history, and a runner for which nobody has written a rule. */
async function project(): Promise<Stage> {
  const stage = await setStage({ host: 'auto' });
  mkdirSync(join(stage.work, 'sub'));
  const files = { 'a.txt': 'one\n', 'b.txt': 'two\n', ...programs };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(stage.work, name), text);
  expect(spawnSync('git', ['init', '-q', stage.work]).status).toBe(0);
  await startRunnerProcess(stage.paths);
  stage.tap.handAll();
  return stage;
}

const programs = {
  Makefile: 'out.txt: a.txt b.txt\n\tcat a.txt b.txt > out.txt\n',
  // Of no use by itself: it looks for a name that no network has, then for a server of this machine.
  'fetch.mjs': `import { lookup } from 'node:dns/promises';
const found = await lookup('one.invalid').catch((error) => error.code);
console.log('looked up', found);
const page = await fetch(process.argv[2]).catch(() => null);
console.log(page === null ? 'no page' : await page.text());
process.exitCode = page === null ? 6 : 0;
`,
  'server.mjs': `import { createServer } from 'node:http';
import { writeFileSync } from 'node:fs';
const server = createServer((_, response) => response.end('served'));
server.listen(0, '127.0.0.1', () => writeFileSync('port', String(server.address().port)));
`,
  'client.mjs': `import { readFileSync } from 'node:fs';
let port = '';
for (let left = 500; port === '' && left > 0; left -= 1) {
  try { port = readFileSync('port', 'utf8'); } catch {}
  if (port === '') await new Promise((resolve) => setTimeout(resolve, 20));
}
const page = await fetch('http://127.0.0.1:' + port).catch(() => null);
console.log('the client got', page === null ? 'nothing' : await page.text());
`,
  // A job shows by what it writes; its number is of no use outside its box.
  'beat.mjs': `import { writeFileSync } from 'node:fs';
setInterval(() => writeFileSync(new URL('beats', import.meta.url), String(Date.now())), 50);
`,
  'watch.mjs': `import { readFileSync } from 'node:fs';
const read = () => { try { return readFileSync(new URL('beats', import.meta.url), 'utf8'); } catch { return ''; } };
const first = read();
for (let left = 500; read() === first && left > 0; left -= 1)
  await new Promise((resolve) => setTimeout(resolve, 20));
console.log(read() === first ? 'nothing goes on' : 'it goes on');
`,
  // Everything that it can see, and then everything that the kernel lets it reach.
  'end-all.mjs': `import { readdirSync } from 'node:fs';
const all = readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name)).map(Number);
let ended = 0;
for (const pid of [...all.filter((pid) => pid !== process.pid), -1])
  try { process.kill(pid, 'SIGKILL'); ended += 1; } catch {}
console.log('saw', all.length, 'ended', ended);
`,
};

/** Of each decision: what was decided, why and by whom, and for where. */
const decisions = ({ paths }: Stage): readonly string[] =>
  auditRows(paths).flatMap((row) =>
    row.type === 'decision' ? [`${row.decision} ${row.code} ${row.host ?? ''}`] : [],
  );
const unasked = 'allow sandbox-unasked sandbox';

async function startPage(): Promise<string> {
  const server = createServer((_request, response) => response.end('the words of the page'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`;
}

if (whyNot !== null) process.stderr.write(`NOT TESTED: agents with a sandbox, because ${whyNot}\n`);

const players = [played('claude'), ...known];

describe.each(whyNot === null ? players.map((one) => [one.name, one] as const) : [])(
  '%s',
  (_name, { keepsFolder, run }) => {
    test('works in the sandbox, unasked', async () => {
      const stage = await project();
      const commands = [
        'for f in *.txt; do wc -l < "$f"; done',
        `python3 -c 'print(6 * 7)' || node -e 'console.log(6 * 7)'`,
        'make && cat out.txt',
        'echo "$(git rev-parse --is-inside-work-tree)"; exit 3',
      ];
      const [loop, inline, build, last] = await run(stage, commands);
      expect(loop).toMatch(/1\s*(?:\\n)?\s*1/u);
      expect(inline).toContain('42');
      expect(build).toMatch(/one(?:\\n|\s)+two/u);
      expect(last).toContain('true');
      expect(decisions(stage)).toEqual(commands.map(() => unasked));
    });

    test('reads in one line why a call of the network failed, and asks for this machine', async () => {
      const stage = await project();
      const approver = await startApprover(stage.paths);
      const page = await startPage();
      const marker = /# interlock: this machine, because WHY/u;
      const asking = run(stage, [
        `node fetch.mjs ${page}`,
        ([first = '']) => {
          // No line, no second try: the test then fails by what was decided.
          const line = marker.exec(first)?.[0] ?? '#';
          return `${line.replace('WHY', 'it fetches a page')}\nnode fetch.mjs ${page}`;
        },
      ]);
      const asked = approver.next('ask');
      const message = await Promise.race([asked, asking]);
      if (!('ask' in message)) throw new Error(`nobody was asked: ${message.join(' ')}`);
      const { ask } = message;
      expect(ask).toMatchObject({ statedReason: 'it fetches a page', host: 'gateway' });
      expect(JSON.stringify(ask)).toMatch(/It ran in the sandbox \d+ s ago and failed/u);
      approver.decide(message, { decision: 'allow-once' });
      const [failed, second] = await asking;
      expect(failed).toContain('this ran in the sandbox, which has no network');
      expect(failed).toContain('no page');
      expect(second).toContain('the words of the page');
      expect(decisions(stage)).toEqual([unasked, 'allow allow-once gateway']);
    });

    test('has a server in one call and its clients in this and the next', async () => {
      const stage = await project();
      const [together, next] = await run(stage, [
        'node server.mjs > server.log 2>&1 & node client.mjs',
        'node client.mjs',
      ]);
      expect(together).toContain('the client got served');
      expect(next).toContain('the client got served');
      for (const said of [together, next]) expect(said).not.toContain('goes on');
      expect(decisions(stage)).toEqual([unasked, unasked]);
    });

    test('cannot end the hook, its host or anything else from there', async () => {
      const stage = await project();
      const [ended, after] = await run(stage, ['node end-all.mjs', 'echo "still $((40 + 2))"']);
      expect(ended).toMatch(/saw \d ended/u);
      expect(after).toContain('still 42');
      expect(decisions(stage)[0]).toBe(unasked);
      expect(stage.recorded().filter((word) => word === 'executed 0')).toHaveLength(2);
    });

    test('has its folder, variables and jobs from call to call as without the gate', async () => {
      const stage = await project();
      const [, where, , variable, , job] = await run(stage, [
        'cd sub && echo "$PWD"',
        'for at in here; do echo "$at ${PWD##*/}"; done',
        'export SEEN=yes; echo "$SEEN"',
        'for word in SEEN; do echo "$word=$SEEN"; done',
        'cd "$(git rev-parse --show-toplevel)"; node beat.mjs > /dev/null 2>&1 &',
        `node ${stage.work}/watch.mjs`,
      ]);
      // Only the shell of Claude Code goes on where it was, and only in the real program.
      expect(where).toContain(keepsFolder ? 'here sub' : 'here work');
      expect(variable).toMatch(/SEEN=(?!yes)/u);
      expect(job).toContain('it goes on');
      expect(decisions(stage).some((word) => word.startsWith('deny'))).toBe(false);
    });
  },
);
