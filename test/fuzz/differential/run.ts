import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasBackground } from './difference.ts';
import type { Farm } from './farm.ts';

/** One call of a stand-in: what it was, where it ran and what it was given. */
export interface Call {
  readonly program: string;
  readonly cwd: string;
  readonly variables: string;
  /** Standard input by lines, sorted: what runs at the same time writes in any order. */
  readonly input: readonly string[];
  readonly args: readonly string[];
}

/** What one line did. */
export interface Trace {
  /** In a stable order. */
  readonly calls: readonly Call[];
  readonly output: string;
}

export interface Line {
  readonly id: number;
  readonly text: string;
  readonly writes: boolean;
}

/** Not the product's own way of quoting, so that a mistake there cannot hide itself. */
function shellWord(text: string): string {
  return `'${text.replaceAll("'", `'"'"'`)}'`;
}

const mark = '@@@@ line ';

/** Behind a blank, so that a line that begins with a dash is not an option of eval. */
function run(text: string): string[] {
  return [`( trap wait EXIT; eval ${shellWord(` ${text}`)} ) 2>/dev/null`, `printf '=%s' "$?"`];
}

/**
 * A shell waits for its own jobs only, not for those of a subshell that a pipeline made. So all that
 * a line starts holds a pipe open, and the next line begins when nobody does any more.
 */
function untilAllEnded(commands: readonly string[]): string[] {
  return ['{ {', ...commands, '} 9>&1 >&8 | /bin/cat; } 8>&1'];
}

/**
 * Runs each line by itself, in a subshell of one shell that works through all of them. `eval` reads
 * a line as `-c` would; what a line sets, or breaks, ends with its subshell.
 */
export async function runLines(
  farm: Farm,
  shell: string,
  lines: readonly Line[],
): Promise<Map<number, Trace>> {
  rmSync(farm.log, { force: true });
  const script = join(farm.root, 'script');
  const collect = shellWord(join(farm.root, 'bin', 'collect'));
  const commands = lines.map(({ id, text, writes }) =>
    [
      `printf '\\n%s%s\\n' ${shellWord(mark)} ${id}`,
      `export STUB_LINE=${id}`,
      ...(hasBackground(text) ? untilAllEnded(run(text)) : run(text)),
      ...(writes ? [collect] : []),
    ].join('\n'),
  );
  writeFileSync(script, `${commands.join('\n')}\n`);
  const output = await outputOf(farm, shell, script);
  return tracesOf(lines, output, existsSync(farm.log) ? readFileSync(farm.log, 'utf8') : '');
}

/** Where bubblewrap works, everything but the throw-away folder is read-only, and there is no network. */
function cage({ root }: Farm): readonly string[] {
  if (!hasCage()) return [];
  const options = ['--unshare-net', '--unshare-pid', '--die-with-parent', '--new-session'];
  const folders = ['--ro-bind', '/', '/', '--dev', '/dev', '--bind', root, root];
  return [bubblewrap, ...options, ...folders, '--'];
}

/** By its path: the PATH of the lines leads to stand-ins only. */
const bubblewrap = '/usr/bin/bwrap';

let caged: boolean | null = null;

function hasCage(): boolean {
  const words = ['--unshare-net', '--unshare-pid', '--ro-bind', '/', '/', '--', '/bin/true'];
  return (caged ??= spawnSync(bubblewrap, words, { stdio: 'ignore' }).status === 0);
}

function outputOf(farm: Farm, shell: string, script: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const [program, ...words] = [...cage(farm), shell, script];
    const child = spawn(program, words, {
      cwd: farm.work,
      env: farm.env,
      stdio: ['ignore', 'pipe', 'inherit'],
      timeout: 120_000,
      killSignal: 'SIGKILL',
    });
    const parts: Buffer[] = [];
    child.stdout.on('data', (part: Buffer) => parts.push(part));
    child.on('error', reject);
    child.on('close', (_, signal) => {
      if (signal !== null) reject(new Error(`${shell} was ended by ${signal}`));
      else resolve(Buffer.concat(parts).toString('utf8'));
    });
  });
}

/** Messages say where and by what path something went wrong, times say how long it took. */
function plain(text: string): string {
  return text
    .replaceAll(/^Try '.*$/gm, '')
    .replaceAll(/can't cd to \.\//g, "can't cd to ")
    .replaceAll(/ is hashed \((.*)\)$/gm, ' is $1')
    .replaceAll(/^\/\S*\/([a-z0-9]+: )/gm, '$1')
    .replaceAll(
      /^.*: (?:cannot \w+ |can't \w+ )?.*?(not found|[A-Z][a-z]+(?: [a-z]+){1,5})$/gm,
      'message: $1',
    )
    .replaceAll(/^(?:real|user|sys)[ \t].*$/gm, '');
}

function tracesOf(lines: readonly Line[], output: string, log: string): Map<number, Trace> {
  const outputs = new Map<number, string>();
  for (const part of output.split(`\n${mark}`).slice(1)) {
    const end = part.indexOf('\n');
    outputs.set(Number(part.slice(0, end)), part.slice(end + 1));
  }
  const calls = new Map<number, Call[]>();
  for (const record of log.split('\u0002end\0').slice(0, -1)) {
    const [id = '', program = '', cwd = '', variables = '', input = '', ...args] =
      record.split('\0');
    const call: Call = {
      program,
      cwd,
      variables,
      input: plain(input)
        .split('\n')
        .filter((line) => !/^(?:real|user|sys)\b|^$/.test(line))
        .toSorted(),
      args: args.slice(0, -1),
    };
    calls.set(Number(id), [...(calls.get(Number(id)) ?? []), call]);
  }
  return new Map(
    lines.map(({ id }) => {
      const own = (calls.get(id) ?? []).toSorted((a, b) =>
        JSON.stringify(a) < JSON.stringify(b) ? -1 : 1,
      );
      return [id, { calls: own, output: plain(outputs.get(id) ?? 'nothing') }];
    }),
  );
}
