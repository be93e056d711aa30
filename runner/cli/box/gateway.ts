import { userInfo } from 'node:os';
import { resolve } from 'node:path';
import type { ReadStream } from 'node:tty';
import { Command } from 'commander';
import { boxTemplates } from '../../../shared/agents/index.ts';
import { boxNamePattern, quoteWords } from '../../../shared/engine/index.ts';
import { commandLineOf, openHome } from '../../../shared/home/index.ts';
import { BoxError, boxExit } from '../../boxes/errors.ts';
import { attachSession } from '../../boxes/tmux.ts';
import { explain } from '../failure.ts';
import { say } from '../io.ts';
import type { Io } from '../io.ts';
import { readAnswer } from '../presence.ts';
import { showBox, sizeOr } from './attach.ts';
import { readTemplates } from './look.ts';
import { asBoxCommand, openBoxes } from './open.ts';
import type { OpenBoxes } from './open.ts';
import { emptyPicker, keysOf, pickerLines, press, withBoxes } from './picker.ts';
import type { PickerAct, PickerBox, PickerState } from './picker.ts';

/** What the door from outside can do, and nothing else. */
export interface GatewayPorts {
  readonly boxes: () => Promise<readonly PickerBox[]>;
  /** Until the person leaves it. */
  readonly attach: (name: string) => Promise<number>;
  readonly down: (name: string) => Promise<void>;
  /** Asks what it has to know, and makes a box; its name. */
  readonly make: () => Promise<string>;
}

const nameShape = new RegExp(boxNamePattern, 'u');

/**
 * The box that whoever comes over ssh asks for, from `SSH_ORIGINAL_COMMAND`; null for the list. The
 * name of a box is all that may stand there: no option, no second word, no command, no copying of files.
 */
export function askedFor(command: string | undefined): string | null {
  if (command === undefined || command === '') return null;
  if (nameShape.test(command)) return command;
  throw new BoxError(
    boxExit.noBox,
    'This door leads to boxes only: no commands and no copying of files.',
    'Name one box, or nothing for the list: ssh -t HOST NAME',
  );
}

/** Serves one person who came in: straight to one box, or the list until they quit. */
export async function serveGateway(
  io: Io,
  name: string | null,
  ports: GatewayPorts,
): Promise<number> {
  if (io.stdin.isTTY !== true || io.stdout.isTTY !== true)
    throw new BoxError(
      boxExit.failed,
      'This door needs a terminal.',
      'Use ssh -t, so that there is one.',
    );
  if (name !== null) return ports.attach(name);
  let state = emptyPicker;
  for (;;) {
    state = withBoxes(state, await ports.boxes());
    const chosen = await choose(io, state);
    ({ state } = chosen);
    if (chosen.act.kind === 'quit') return 0;
    state = { ...state, said: await does(chosen.act, ports) };
  }
}

/** What was done, as a sentence; what fails is one, too, and the list goes on. */
async function does(act: PickerAct, ports: GatewayPorts): Promise<string> {
  try {
    if (act.kind === 'attach') await ports.attach(act.name);
    if (act.kind === 'down') await ports.down(act.name);
    if (act.kind === 'new') await ports.attach(await ports.make());
    return act.kind === 'down' ? `The box "${act.name}" is gone.` : '';
  } catch (error) {
    return explain(error).lines.join(' ');
  }
}

const clearScreen = '\u001B[2J\u001B[H';
const lookMs = 5_000;

/** Shows the list until a key asks for something. */
async function choose(
  io: Io,
  from: PickerState,
): Promise<{ readonly state: PickerState; readonly act: PickerAct }> {
  const input = io.stdin as Io['stdin'] & Partial<ReadStream>;
  let state = from;
  const draw = (): void => {
    const lines = pickerLines(state, { now: io.now(), columns: sizeOr(io.stdout.columns, 80) });
    io.stdout.write(`${clearScreen}${lines.join('\r\n')}`);
  };
  input.setRawMode?.(true);
  draw();
  try {
    const act = await new Promise<PickerAct>((settled) => {
      const settle = (end: PickerAct): void => {
        clearTimeout(timer);
        off();
        input.off('data', take);
        input.off('end', gone);
        input.pause();
        settled(end);
      };
      const gone = (): void => settle({ kind: 'quit' });
      const off = io.onSignal(gone);
      // What others do shows by itself, but never while a question stands there.
      const timer = setTimeout(() => {
        if (state.ending === null) settle({ kind: 'look' });
      }, lookMs);
      const take = (chunk: Buffer | string): void => {
        for (const key of keysOf(chunk.toString())) {
          const pressed = press(state, key);
          ({ state } = pressed);
          if (pressed.act !== null) return settle(pressed.act);
        }
        draw();
      };
      input.on('data', take);
      input.once('end', gone);
      input.resume();
    });
    return { state, act };
  } finally {
    input.setRawMode?.(false);
    say(io.stdout, clearScreen);
  }
}

/** What to know for the lines that open the door. */
interface DoorFacts {
  /** The words that start this very command line. */
  readonly command: readonly string[];
  readonly user: string;
  /** Null where it is the usual one. */
  readonly home: string | null;
  /** Of an sshd that serves nothing else. */
  readonly port: number;
}

/** The lines for sshd, to be read and put there by a person; nothing is installed. */
export function doorText({ command, user, home, port }: DoorFacts): string {
  const words = [...command, 'box', 'gateway'];
  const given = home === null ? words : ['env', `INTERLOCK_HOME=${home}`, ...words];
  const line = quoteWords(given);
  const inKeys = line.replaceAll('\\', '\\\\').replaceAll('"', '\\"');
  return `# One of these three. None of them gives more than the boxes of ${user}.

# 1. One key: a line of ~/.ssh/authorized_keys, in front of the key that may come in.
restrict,pty,command="${inKeys}" ssh-ed25519 AAAA...

# 2. A port: a file in /etc/ssh/sshd_config.d/. The other ports stay as they are.
Port 22
Port ${String(port)}
Match LocalPort ${String(port)}
  AllowUsers ${user}
  ForceCommand ${line}
  DisableForwarding yes
  PermitUserRC no
  PermitTTY yes

# 3. A login shell, for a user who shall have nothing else: a file that can be executed,
#    in /etc/shells, and by chsh -s.
#!/bin/sh
[ "\${1-}" = -c ] && SSH_ORIGINAL_COMMAND=\${2-} && export SSH_ORIGINAL_COMMAND
exec ${line}

# Then: ssh -t -p ${String(port)} ${user}@HOST        the list
#       ssh -t -p ${String(port)} ${user}@HOST NAME   straight to a box
`;
}

interface GatewayFlags {
  readonly printSshd?: boolean;
  readonly port: string;
}

/** `interlock box gateway`: what sshd starts for whoever may come in to boxes, and to nothing else. */
export function gatewayCommand(io: Io, done: (exitCode: number) => void): Command {
  return new Command('gateway')
    .summary('let people reach their boxes over ssh')
    .description(
      'The way into boxes from outside, to be started by sshd: shows a list from which to attach, make and end boxes, or goes straight to the one that SSH_ORIGINAL_COMMAND names.',
    )
    .option('--print-sshd', 'prints the lines for sshd that open the door, and installs nothing')
    .option('--port <number>', 'with --print-sshd: a port of its own', '2222')
    .action(async ({ printSshd, port }: GatewayFlags) =>
      asBoxCommand(io, done, async () => {
        if (printSshd === true) {
          const { home } = openHome(io.env);
          const given = io.env['INTERLOCK_HOME'] === undefined ? null : home;
          const command = [process.execPath, commandLineOf(io.packageRoot)];
          const user = userInfo().username;
          io.stdout.write(doorText({ command, user, home: given, port: portOf(port) }));
          return 0;
        }
        const name = askedFor(io.env['SSH_ORIGINAL_COMMAND']);
        const open = await openBoxes(io, () => undefined);
        return serveGateway(io, name, portsOf(io, open));
      }),
    );
}

function portOf(text: string): number {
  const port = Number(text);
  if (/^[1-9]\d{0,4}$/u.test(text) && port < 65_536) return port;
  throw new BoxError(boxExit.failed, 'This is not a port.', 'Name one from 1 to 65535.');
}

function portsOf(io: Io, { boxes }: OpenBoxes): GatewayPorts {
  return {
    boxes: async () => boxes.states(),
    attach: async (name) => showBox(io, boxes, name, () => attachSession),
    down: async (name) => {
      for (const note of await boxes.down(name)) say(io.stdout, note);
    },
    make: async () => {
      const name = await readAnswer(io, 'Name: ');
      const all = Object.keys(boxTemplates(readTemplates(io)));
      const templateName = await readAnswer(io, `Template (${all.join(', ')}): `);
      const workspace = await readAnswer(io, 'Folder it works in: ');
      if (!nameShape.test(name) || workspace === '')
        throw new BoxError(boxExit.failed, 'Nothing was made.', 'Give it a name and a folder.');
      const { name: made } = await boxes.up({
        name,
        templateName,
        workspace: resolve(userInfo().homedir, workspace),
      });
      return made;
    },
  };
}
