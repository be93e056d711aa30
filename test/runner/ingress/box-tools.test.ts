import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  writeFileSync,
} from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createBoxTools } from '../../../runner/ingress/box-tools.ts';
import type { BoxTools } from '../../../runner/hosts/sandbox/launch.ts';
import type { AskForTool, HostTask } from '../../../runner/hosts/host.ts';
import { packageRoot } from '../../../runner/version.ts';
import { clientPath } from '../../../shared/agents/index.ts';
import { box, command, isRoot, rungs, whyNot } from '../hosts/sandbox/support.ts';
import type { BoxOptions } from '../hosts/sandbox/support.ts';
import { run, temporaryFolder } from '../hosts/support.ts';

const uid = process.geteuid?.() ?? -1;
const client = join(packageRoot(), clientPath);

const policy = `version: 1
tool: hello
folder: private
credentials: []
allow: [{ args: [to, '...'] }]
confirm: []
others: refused
`;

type Call = Parameters<AskForTool>[0];

/** A sandbox in which `hello` is brokered, and what came out of it. */
function brokered(options: BoxOptions = {}, answer: AskForTool = greet, all = false) {
  const folder = temporaryFolder();
  const policies = join(folder, 'policy');
  const directory = join(folder, 'state');
  for (const path of [policies, directory]) mkdirSync(path, { mode: 0o700 });
  writeFileSync(join(policies, 'hello.yaml'), policy, { mode: 0o600 });
  const links = policy.replace('tool: hello', 'tool: awk');
  const some = links.replace('others: refused\n', '');
  writeFileSync(join(policies, 'awk.yaml'), some, { mode: 0o600 });
  if (all) writeFileSync(join(policies, 'awk.yaml'), links);
  writeFileSync(join(directory, 'tool-0123abcd'), 'left by another');
  const calls: Call[] = [];
  const asks: AskForTool = async (call, io, starting) => {
    calls.push(call);
    await answer(call, io, starting);
  };
  let workspace = '';
  const tools = createBoxTools({
    policies,
    directory,
    uid,
    client,
    path: ['/usr/bin', '/bin'],
    workspaceOf: () => workspace,
    log: { warn: () => {} },
  });
  const made = box({}, { tools: async (task) => tools.open(task), ...options });
  ({ workspace } = made);
  onTestFinished(() => tools.dispose());
  const task = (text: string): HostTask => ({ ...command(text, workspace), asks });
  const say = async (text: string) => {
    const running = run(made.host, task(text), { timeoutMs: 30_000, killAfterMs: 300 });
    return { ...(await running.ended), ...running.output() };
  };
  return { ...made, calls, directory, tools, task, say };
}

const greet: AskForTool = async ({ argv = [] }, io) => {
  const finished = { type: 'finished', id: '1', exitCode: 7, signal: null } as const;
  await io.emit({ type: 'stdout', id: '1', encoding: 'utf8', data: `hello ${argv.join(' ')}\n` });
  await io.emit({ ...finished, durationMs: 1, stdout: '', stderr: '', truncated: false } as never);
};

describe.skipIf(whyNot !== null || !existsSync(client))(
  'what brings calls out of a sandbox',
  () => {
    it.each(rungs)('is there where a %s builds it', async (rung) => {
      const { say, calls, workspace, directory } = brokered({ rung });
      const { stdout } = await say(
        'hello to you; echo $?; readlink /run/interlock-tools/bin/hello',
      );
      expect(stdout).toBe('hello hello to you\n7\n../shim\n');
      expect(calls).toEqual([{ argv: ['hello', 'to', 'you'], cwd: workspace }]);
      expect(readdirSync(directory)).toEqual([]);
    });

    it.skipIf(!isRoot).each(rungs)('is there for another user, too, by a %s', async (rung) => {
      const { say, calls } = brokered({ rung, owner: 65534 });
      const { stdout } = await say('id -u; hello to you');
      // Bubblewrap runs as that user, who does not get to a folder of root's.
      if (rung === 'bubblewrap' && !stdout.includes('hello hello')) return;
      expect(stdout).toBe('65534\nhello hello to you\n');
      expect(calls).toHaveLength(1);
    });

    it.each([
      [false, '1\n'],
      [true, 'hello awk BEGIN { print 1 }\nhello awk to you\n'],
    ])('stands in the place of a linked program, all calls being its: %s', async (all, said) => {
      const { host, task, say } = brokered({}, greet, all);
      const execution = {
        kind: 'argv',
        file: '/usr/bin/awk',
        argv: ['awk', 'to', 'you'],
      } as const;
      const alone = run(host, { ...task(''), execution }, { timeoutMs: 30_000, killAfterMs: 300 });
      await alone.ended;
      expect(alone.output().stdout).toBe('hello awk to you\n');
      // What may be a part of a package works from no other place, so a text names it where it is.
      const { stdout } = await say("awk 'BEGIN { print 1 }'; /usr/bin/awk to you");
      expect(stdout).toBe(said);
    });

    it('ends with the command, and takes a call along that is under way', async () => {
      let gone = false;
      let stop = (): void => {};
      const { host, task, directory } = brokered({}, async (_call, io) => {
        stop();
        await new Promise<void>((resolve) => io.gone.addEventListener('abort', () => resolve()));
        gone = true;
      });
      const running = run(host, task('hello to you'), { timeoutMs: 30_000, killAfterMs: 300 });
      stop = () => running.stop();
      expect((await running.ended).ending).toBe('stopped');
      await expect.poll(() => gone).toBe(true);
      expect(readdirSync(directory)).toEqual([]);
    });

    it('takes calls of this form only, so many at once, and no longer than it may', async () => {
      let goOn = (): void => {};
      const told = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      const { say, calls, workspace } = brokered({}, async ({ argv }, io, starting) => {
        if (calls.length === 8) writeFileSync(join(workspace, 'full'), '');
        await told;
        await greet({ argv, cwd: '/' } as Call, io, starting);
      });
      const saying = say(
        'for i in 1 2 3 4 5 6 7 8; do hello to all & done; until [ -e full ]; do sleep 0.02; done; ' +
          'hello to more 2>&1 | head -1 >refused; mv refused told; wait',
      );
      await expect.poll(() => existsSync(join(workspace, 'told')), { timeout: 20_000 }).toBe(true);
      goOn();
      expect((await saying).stdout.match(/hello hello to all/gu)).toHaveLength(8);
      expect(readFileSync(join(workspace, 'told'), 'utf8')).toContain('concurrency-busy');
      const python = (request: string): string =>
        `python3 -c 'import socket\ns = socket.socket(socket.AF_UNIX)\ns.connect("/run/interlock-tools/door")\n` +
        `s.sendall(b"""${request}""".replace(b"\\n", b"\\r\\n"))\nprint(s.makefile("rb").read())'`;
      const body = (text: string): string =>
        `POST /call HTTP/1.0\ncontent-length: ${String(text.length)}\n\n${text}`;
      for (const request of [
        'GET /v1/status HTTP/1.1\nhost: x\n\n',
        'POST /v1/exec HTTP/1.0\n\n',
        body('{}'),
        body('{"argv":["hello"],"cwd":"/","env":{},"agent":"other"}'),
        body('{"argv":["hello"],"cwd":"/","env":{},"argv":["x"]}'),
      ])
        expect((await say(python(request))).stdout).toContain('invalid-request');
      const other = await say(python(body('{"argv":["ls"],"cwd":"/","env":{}}')));
      expect(other.stdout).toContain('No tool named "ls" is brokered in this sandbox.');
      expect(calls).toHaveLength(8);
      const words = await say("hello to $'\\xff'; hello to a - </dev/zero");
      expect(words.stderr).toContain(
        'interlock: hello: its words or its folder are not plain text',
      );
      expect(words.stderr).toContain('interlock: hello: its standard input is too long');
    });

    it('hears a call that comes before it is known that the sandbox stands', async () => {
      let opened: ReturnType<typeof brokered> | null = null;
      const late = async (task: HostTask): Promise<BoxTools | null> => {
        const one = (await opened?.tools.open(task)) ?? null;
        const called = (): boolean => existsSync(join(opened?.workspace ?? '', 'called'));
        const begun = async (): Promise<void> => {
          await expect.poll(called, { timeout: 20_000 }).toBe(true);
          one?.begun();
        };
        return one === null ? null : { ...one, begun: () => void begun() };
      };
      opened = brokered({ tools: late });
      const { stdout } = await opened.say('(sleep 0.2; touch called) & hello to you');
      expect(stdout).toBe('hello hello to you\n');
    });

    it('lets nobody in who is in no sandbox', async () => {
      const { tools, task, directory } = brokered();
      const opened = await tools.open(task('true'));
      const [name = ''] = readdirSync(directory);
      const path = join(directory, name);
      chmodSync(path, 0o600);
      const socket = createConnection(path);
      await new Promise<void>((resolve) => socket.once('close', () => resolve()));
      opened?.begun();
      expect(readdirSync(directory)).toEqual([]);
      opened?.close();
    });
  },
);
