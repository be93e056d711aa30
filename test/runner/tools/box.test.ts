import { execFileSync } from 'node:child_process';
import {
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { HomePaths } from '../../../shared/home/paths.ts';
import { runnerClient } from '../../../shared/ipc/runner-client.ts';
import { findSecrets } from '../../support/secret-scan.ts';
import { whyNot } from '../hosts/sandbox/support.ts';
import {
  auditRows,
  endOf,
  exec,
  makeHome,
  root,
  startApprover,
  startRunnerProcess,
} from '../service/support.ts';
import type { Process } from '../service/support.ts';
import { git, secretsOf, startGitServer, workIn, writeTool } from './support.ts';
import type { GitServer } from './support.ts';

const token = 'tok_0123456789abcdefghij/ABCDEFGHIJ+KLMN';

/** Says where it is and what it has, and hands its input through. */
const tools = {
  printenv: `version: 1
tool: printenv
folder: private
credentials: [{ secret: token, variable: TOKEN }]
set: { FIXED: 'yes' }
env: [LANG]
allow:
  - args: [[TOKEN, LANG, FIXED, HOME, PWD]]
  - args: [LOGNAME]
confirm:
  - { args: [LOGNAME], why: It says who. }
others: refused
`,
  cat: `version: 1
tool: cat
folder: private
credentials: []
allow:
  - args: ['-']
  - args: [--version]
`,
  strings: `version: 1
tool: strings
folder: caller
credentials: []
allow: [{ args: ['@a.txt'] }]
confirm: [{ args: ['@a.txt'], why: It shows a file. }]
`,
  nl: `version: 1
tool: nl
folder: caller
credentials: [{ secret: token, variable: TOKEN }]
allow: [{ args: [gate, a.txt] }]
`,
  pwd: `version: 1
tool: pwd
folder: caller
credentials: []
allow: [{ args: [-P], options: [-P] }]
confirm: []
`,
};

const isNumber = (name: string): boolean => /^\d+$/u.test(name);

interface Scene {
  readonly paths: HomePaths;
  readonly runner: Process;
  readonly server: GitServer;
  readonly work: string;
  readonly folder: string;
}

interface Settings {
  readonly modes?: Parameters<typeof makeHome>[0];
  readonly config?: object;
}

async function scene({ modes = { security: 'full', ask: 'off' }, config = {} }: Settings = {}) {
  const paths = await makeHome(modes);
  const folder = dirname(paths.home);
  const server = await startGitServer(folder, token);
  const shipped = readFileSync(join(root, 'assets/tools/git.yaml'), 'utf8');
  writeTool(paths, 'git', shipped.replace("'https://github.com/*'", `'${server.origin}/*'`));
  for (const [name, text] of Object.entries(tools))
    writeTool(paths, name, text.includes('confirm:') ? text : `${text}confirm: []\n`);
  const secrets = await secretsOf(paths);
  await secrets.set('github', Buffer.from(token));
  await secrets.set('token', Buffer.from(token));
  const work = workIn(folder);
  git(work, 'remote', 'add', 'origin', `${server.origin}/repo.git`);
  const all = { version: 1, exec: { host: 'sandbox' }, undo: { on: 'off' }, ...config };
  writeFileSync(paths.config, JSON.stringify(all), { mode: 0o600 });
  const runner = await startRunnerProcess(paths);
  return { paths, runner, server, work, folder };
}

const run = async (
  { paths, work }: Pick<Scene, 'paths' | 'work'>,
  command: string,
  more: object = {},
) => {
  const events = await exec(paths, { command, cwd: work, ...more }).done;
  const said = events.map((event) => ('data' in event ? event.data : '')).join('');
  return { said, end: endOf(events), events };
};

/** The same out of a file, whose text nothing is held against. */
const runFile = async (at: Pick<Scene, 'paths' | 'work'>, lines: readonly string[]) => {
  writeFileSync(join(at.work, 'run.sh'), lines.join('\n'));
  return run(at, 'bash ./run.sh');
};

describe.skipIf(whyNot !== null)('a brokered tool in a sandbox', () => {
  let at: Scene;
  beforeEach(async (context) => {
    at = await scene(context.task.name.includes('a person') ? { modes: {} } : {});
  });

  it('is called by its name, and runs outside with what the sandbox does not have', async () => {
    const { said, end } = await run(
      at,
      'printenv TOKEN; printenv FIXED; command -v printenv; echo "[$TOKEN]"; LANG=xy printenv LANG',
    );
    expect(said.split('\n')).toEqual([
      '[redacted]',
      'yes',
      '/run/interlock-tools/bin/printenv',
      '[]',
      'xy',
      '',
    ]);
    expect(end).toBe('exit 0');
    const rows = auditRows(at.paths).filter((row) => row.type === 'decision');
    expect(rows).toContainEqual(
      expect.objectContaining({ host: 'tools', command: 'printenv TOKEN', decision: 'allow' }),
    );
  });

  it('has its input, its two streams and its exit status, by its path as well', async () => {
    const lines = [
      'printf "a\\0b\\377" | cat - | od -An -c | tr -s " "',
      'cat a.txt',
      '/usr/bin/printenv FIXED; echo $?',
      'printenv PWD >/dev/null; echo $?',
      'printenv OTHER 2>&1 >/dev/null | tee /dev/stderr >/dev/null; echo ${PIPESTATUS[0]}',
      'cd /; cat --version | head -1; cat /proc/self/comm',
    ];
    const { said } = await run(at, lines.join('\n'));
    const [od, text, ...rest] = said.split('\n');
    expect(od).toBe(' a \\0 b 377');
    expect(text).toBe('a');
    expect(rest.slice(0, 3)).toEqual(['yes', '0', '1']);
    expect(said).toContain('interlock: policy-deny: The policy of printenv does not name');
    expect(said).toContain('What it takes: interlock tool show printenv');
    expect(said).toMatch(/\n126\ncat \(GNU/u);
    // What is not brokered is the sandbox's own program.
    expect(said.trimEnd().split('\n').at(-1)).toBe('cat');
  });

  it('pushes what was committed before, and says so of what is not there yet', async () => {
    const before = git(at.work, 'rev-parse', 'main').trim();
    const together = await run(
      at,
      'git commit -q --allow-empty -m two -- 2>/dev/null || git -c user.name=a -c user.email=a@b commit -q --allow-empty -m two; git push -q origin main',
    );
    expect(together.said).toContain('Push in a command of its own');
    expect(together.end).toBe('exit 126');
    const alone = await run(at, 'git -C . push origin main && git status -sb | head -1');
    expect(alone.said).toContain('main -> main');
    const head = git(at.work, 'rev-parse', 'main').trim();
    expect(head).not.toBe(before);
    expect(git(at.server.repository, 'rev-parse', 'main').trim()).toBe(head);
    const away = await run(at, 'mkdir /tmp/x; cd /tmp/x; git push origin main; git clone a b');
    expect(away.said).toContain('has of this sandbox only the project');
    const made = await run(at, 'mkdir sub; cd sub; git init -q; git push origin main');
    expect(made.said).toContain('only the repository of the project itself');
    expect(at.server.seen.filter((one) => one?.startsWith('Basic')).length).toBeGreaterThan(0);
  });

  it('names no file outside of the project', async () => {
    const words = [
      '/etc/passwd',
      'x=/root/.ssh/id',
      '--a=/home/u/x',
      '@/etc/shadow',
      'file:///etc/x',
    ];
    const { said } = await runFile(
      at,
      words.map((word) => `cat - ${word} </dev/null`),
    );
    expect(said.match(/policy-deny: \S+ is not in the project/gu)).toHaveLength(words.length);
    const inside = await run(
      at,
      'cat - "$PWD/a.txt" </dev/null; cat - /no-such-folder/x </dev/null',
    );
    expect(inside.said).not.toContain('is not in the project');
  });

  it('leaves no secret where an agent, or anybody, can look', async () => {
    const { said } = await runFile(at, [
      'printenv TOKEN; git push -q origin main; env; set',
      'cat /proc/*/environ /proc/*/cmdline | tr "\0" "\n"',
      'find / /run /etc /tmp "$HOME" "$PWD" -xdev -not -path "/usr/*" -type f -size -64k -exec cat {} +',
    ]);
    expect(said).toContain('/run/interlock-tools/bin');
    const client = runnerClient({ socketPath: at.paths.runnerSocket, timeoutMs: 5_000 });
    const where = {
      folders: [at.paths.home, at.work, join(at.folder, 'data')],
      pids: readdirSync('/proc').filter(isNumber).map(Number),
      texts: {
        said,
        log: at.runner.stderr(),
        history: JSON.stringify(await client.history({ offset: 0, limit: 50 })),
        status: JSON.stringify(await client.status()),
        list: execFileSync('ps', ['axeww'], { encoding: 'utf8', maxBuffer: 64 << 20 }),
      },
    };
    expect(findSecrets([token], where)).toEqual([]);
    writeFileSync(join(at.work, 'planted'), Buffer.from(token).toString('base64'));
    expect(findSecrets([token], where)).toEqual([join(at.work, 'planted')]);
    // Nor the way in: what stood there for the start is gone.
    expect(readdirSync(at.paths.stateDirectory).filter((name) => name.startsWith('tool'))).toEqual([
      'tools',
    ]);
  });

  it('reads no other file that was put in the place of one while a person decided', async () => {
    const other = join(at.folder, 'other.txt');
    writeFileSync(other, 'elsewhere\n');
    const approver = await startApprover(at.paths);
    const asking = run(at, 'strings @a.txt');
    const outer = await approver.next('ask');
    approver.decide(outer, { decision: 'allow-once' });
    const inner = await approver.next('ask');
    expect(inner.ask).toMatchObject({ command: 'strings @a.txt', host: 'tools' });
    rmSync(join(at.work, 'a.txt'));
    symlinkSync(other, join(at.work, 'a.txt'));
    approver.decide(inner, { decision: 'allow-once' });
    const { said } = await asking;
    expect(said).not.toContain('elsewhere');
    // The file is bound to the decision; whatever is not is looked at right before the start.
    expect(said).toMatch(/binding-drift|is not in the project/u);
  });

  it('reads no other file that takes the place of one after its start', async () => {
    const other = join(at.folder, 'other.txt');
    writeFileSync(other, 'elsewhere\n');
    execFileSync('mkfifo', [join(at.work, 'gate')]);
    for (const target of [other, '/proc/self/environ', at.paths.policy]) {
      const asking = run(at, 'nl gate a.txt');
      // This waits until the tool has opened the other end.
      const gate = await open(join(at.work, 'gate'), 'w');
      rmSync(join(at.work, 'a.txt'));
      symlinkSync(target, join(at.work, 'a.txt'));
      await gate.close();
      const { said } = await asking;
      expect(said).toMatch(/nl: a\.txt: Permission denied\n$/u);
      rmSync(join(at.work, 'a.txt'));
      writeFileSync(join(at.work, 'a.txt'), 'a\n');
    }
  });

  it('asks a person where the policy of the tool or of the agent says so', async () => {
    const approver = await startApprover(at.paths);
    const asking = run(at, 'printenv LOGNAME || true; printenv FIXED');
    const outer = await approver.next('ask');
    expect(outer.ask.command).toContain('printenv LOGNAME ||');
    approver.decide(outer, { decision: 'allow-once' });
    const first = await approver.next('ask');
    expect(first.ask).toMatchObject({ command: 'printenv LOGNAME', host: 'tools' });
    approver.decide(first, { decision: 'deny', note: 'not now' });
    const second = await approver.next('ask');
    expect(second.ask.command).toBe('printenv FIXED');
    approver.decide(second, { decision: 'allow-once' });
    const { said, end } = await asking;
    expect(said).toContain('not now');
    expect(said).toContain('yes');
    expect(end).toBe('exit 0');
  });
});

describe.skipIf(whyNot !== null)('the way to brokered tools', () => {
  it('is all that is asked about where commands go where they belong', async () => {
    const at = await scene({ modes: {}, config: { exec: { host: 'auto' } } });
    const approver = await startApprover(at.paths);
    const pushing = run(at, 'git push -q origin main; echo $?');
    const { ask, ...asked } = await approver.next('ask');
    expect(ask).toMatchObject({ command: 'git push -q origin main', host: 'tools' });
    approver.decide({ ...asked, ask }, { decision: 'allow-once' });
    const { said, end } = await pushing;
    expect([said.split('\n').at(-2), end]).toEqual(['0', 'exit 0']);
    expect(git(at.server.repository, 'rev-parse', 'main')).toBe(git(at.work, 'rev-parse', 'main'));
    // What it commits in the same text would not be there yet.
    const both = run(at, 'git commit -q --allow-empty -m x && git push -q origin main');
    const second = await approver.next('ask');
    expect(second.ask).toMatchObject({ host: 'gateway' });
    approver.decide(second, { decision: 'deny' });
    expect((await both).end).toBe('confirm-rejected');
    const outer = auditRows(at.paths).find((row) => row.type === 'decision');
    expect(outer).toMatchObject({ host: 'sandbox', code: 'sandbox-unasked' });
  });

  it('is taken by npm, too, wherever it stands in a text, and npm itself runs for other calls', async () => {
    const at = await scene();
    writeTool(at.paths, 'npm', readFileSync(join(root, 'assets/tools/npm.yaml'), 'utf8'));
    const secrets = await secretsOf(at.paths);
    await secrets.set('npm', Buffer.from(token));
    writeFileSync(
      join(at.work, 'package.json'),
      '{ "name": "left", "version": "1.0.0", "scripts": { "build": "npm --version > built" } }',
    );
    const approver = await startApprover(at.paths);
    // As a plan of several commands starts it: by its own file.
    const npm = realpathSync(execFileSync('which', ['npm']).toString().trim());
    for (const text of [
      `${npm} run -s build && ${npm} publish; echo "[$?]"`,
      'npm run -s build && npm publish; echo "[$?]"',
      'for one in a b; do npm run -s build; done; (cd . && env A=b npm publish); echo "[$?]"',
    ]) {
      const running = run(at, text);
      const { ask, ...asked } = await approver.next('ask');
      expect(ask).toMatchObject({ command: 'npm publish', host: 'tools' });
      approver.decide({ ...asked, ask }, { decision: 'deny' });
      const { said } = await running;
      expect(said).toContain('confirm-rejected');
      expect(said).not.toContain('[0]');
      expect(readFileSync(join(at.work, 'built'), 'utf8')).toMatch(/^\d+\.\d+\.\d+\n$/u);
    }
  });

  it('is there in every sandbox, whatever its network, and with one place for commands', async () => {
    for (const network of ['none', 'full', 'restricted']) {
      const at = await scene({
        config: { sandbox: { network }, limits: { concurrentPerAgent: 1 } },
      });
      const more = network === 'none' ? { session: 'one' } : {};
      const { said } = await run(at, 'printenv FIXED', more);
      const again = await run(
        at,
        '(sleep 0.3; printenv FIXED > later) & printenv FIXED; wait',
        more,
      );
      expect([network, said, again.said]).toEqual([network, 'yes\n', 'yes\n']);
      expect(readFileSync(join(at.work, 'later'), 'utf8')).toBe('yes\n');
    }
  });
});
