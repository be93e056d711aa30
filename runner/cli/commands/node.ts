import { Command } from 'commander';
import { displayPlain } from '../../../shared/base/index.ts';
import { clientSocket, homePaths, openHome, ownUid } from '../../../shared/home/index.ts';
import { runnerClient } from '../../../shared/ipc/index.ts';
import type { RunnerClient } from '../../../shared/ipc/index.ts';
import { lockOf, lostLinks } from '../../../shared/wire/index.ts';
import type {
  FleetGatewayInfo,
  NodeInfo,
  NodesBody,
  OwnNode,
  WaitingNode,
} from '../../../shared/wire/index.ts';
import { readNodeFile } from '../../nodes/node-file.ts';
import type { PairOptions } from '../pair-node.ts';
import type { CommandModule } from '../command-table.ts';
import { CliError } from '../failure.ts';
import { exitCodes, say, sayJson } from '../io.ts';
import type { Io } from '../io.ts';
import { sayDuration } from '../options.ts';
import { requireNoAgentsCommand, requirePersonHere } from '../presence.ts';
import { logLevelOption, runInForeground } from './runner.ts';

type Done = Parameters<CommandModule['declare']>[1];

interface JsonFlag {
  readonly json?: boolean;
}

const runnerOf = (io: Io): RunnerClient => {
  const paths = homePaths(io.env);
  return runnerClient({ socketPath: clientSocket(io.env, paths) });
};

/** `interlock node`: the machines that are nodes of this one, and this one as a node of another. */
export const declare: CommandModule['declare'] = (io, done) => {
  const node = new Command('node')
    .enablePositionalOptions()
    .description(
      'Other machines. A node is a runner that connects out to the runner of another machine, its gateway; what it lets run there its own policy says. Both machines show a code, which a person compares, before they know each other.',
    )
    .addHelpText(
      'after',
      `
Examples:
  interlock node pair gateway.example --name build
  interlock node approve 7KQ2-M0XD
  interlock node run
  interlock node list`,
    );
  for (const command of [...nodeCommands(io, done), ...gatewayCommands(io, done)])
    node.addCommand(command);
  return node;
};

/** What is typed at the node: `run`, `pair`, `stdio` and `status`. */
function nodeCommands(io: Io, done: Done): readonly Command[] {
  return [
    new Command('run')
      .summary("start this machine's runner, connected to its gateway")
      .description(
        'Starts the runner in the foreground and keeps it connected to the gateway that this machine is paired with. A runner that is started in any other way connects, too.',
      )
      .addOption(logLevelOption())
      .action(async (flags: Parameters<typeof runInForeground>[1]) => {
        if (readNodeFile(homePaths(io.env).nodeFile, ownUid()) === null)
          throw new CliError(
            'This machine is the node of no gateway.',
            'Pair it first: interlock node pair HOST',
          );
        await runInForeground(io, flags);
        done(exitCodes.ok);
      }),
    new Command('pair')
      .summary('make this machine a node of a gateway')
      .description(
        'Connects to a gateway and shows a code. A person compares it with the one that the gateway shows and approves it there; only then does either machine know the other.',
      )
      .argument('[gateway]', 'HOST, HOST:PORT or [IPv6]:PORT of a runner with nodes.listen')
      .option('--ssh', 'the gateway comes here by SSH: this machine stands in its nodes.ssh')
      .option('--fleet <file>', 'over NATS, with the file that "interlock fleet add" made')
      .option('--name <name>', 'what this machine is called there (default: its host name)')
      .option('--replace', 'in the place of the gateway that this machine is the node of')
      .action(async (gateway: string | undefined, options: Omit<PairOptions, 'gateway'>) => {
        const home = openHome(io.env);
        requirePersonHere(io, home);
        const { pairNode } = await import('../pair-node.ts');
        const { displayName, address } = await pairNode(io, home, { ...options, gateway });
        say(io.stdout, `This machine is a node of ${displayName} (${address}) now.`);
        say(
          io.stdout,
          'Start its runner: "interlock node run". One that runs already connects at its next start.',
        );
        done(exitCodes.ok);
      }),
    new Command('stdio')
      .summary('serve a gateway that reaches this machine over SSH')
      .description(
        'Passes standard input and output on to the runner of this machine, or to "interlock node pair --ssh" where that waits. A gateway runs it by SSH, as nodes.ssh of its config.json says. Whoever runs it has proven nothing by that.',
      )
      .action(async () => {
        const { pairSocket, nodeSocket } = homePaths(io.env);
        const { relayToSocket } = await import('../../nodes/stdio.ts');
        if (!(await relayToSocket([pairSocket, nodeSocket], io)))
          throw new CliError(
            'Nothing waits here for a gateway that comes by SSH.',
            'Pair this machine first (interlock node pair --ssh), and start its runner.',
          );
        done(exitCodes.ok);
      }),
    new Command('status')
      .summary('show whether this machine is connected, and to whom')
      .description(
        'Says whether this machine is a node and connected to its gateway. Ends with 1 where it is connected to no gateway.',
      )
      .option('--json', 'as JSON')
      .action(async ({ json }: JsonFlag) => {
        const { own, problem, listening } = await runnerOf(io).nodes();
        if (json === true) sayJson(io.stdout, { own, problem, listening });
        else for (const line of ownLines(own, problem, io.now())) say(io.stdout, line);
        const isThere = own?.connected === true || own?.further?.some((each) => each.connected);
        done(isThere === true ? exitCodes.ok : 1);
      }),
  ];
}

/** What is typed at the gateway: `list`, `approve`, `decline` and `remove`. */
function gatewayCommands(io: Io, done: Done): readonly Command[] {
  const shown = (node: NodeInfo, sentence: string, { json }: JsonFlag): void => {
    if (json === true) sayJson(io.stdout, node);
    else say(io.stdout, sentence);
    done(exitCodes.ok);
  };
  return [
    new Command('list')
      .summary('list the nodes, and those that wait to be paired')
      .option('--json', 'as JSON')
      .action(async ({ json }: JsonFlag) => {
        const body = await runnerOf(io).nodes();
        if (json === true) sayJson(io.stdout, body);
        else for (const line of listLines(body, io.now())) say(io.stdout, line);
        done(exitCodes.ok);
      }),
    new Command('approve')
      .summary('pair with the machine that shows this code')
      .argument('<code>', 'as the other machine shows it, such as 7KQ2-M0XD')
      .option('--json', 'the node as JSON')
      .action(async (code: string, flags: JsonFlag) => {
        requirePersonHere(io, openHome(io.env));
        const node = await runnerOf(io).approveNode(code);
        const { displayName, id } = node;
        shown(node, `Paired with ${displayPlain(displayName)} (${id.slice(0, 12)}).`, flags);
      }),
    new Command('decline')
      .summary('refuse a machine that waits to be paired')
      .argument('<code>', 'of the machine')
      .action(async (code: string) => {
        requireNoAgentsCommand(openHome(io.env));
        await runnerOf(io).declineNode(code);
        say(io.stdout, 'It was sent away.');
        done(exitCodes.ok);
      }),
    new Command('remove')
      .summary('end the pairing with a node, and its connection')
      .description(
        'Ends the pairing with a node, and its connection. It is let in no more until it is paired anew.',
      )
      .argument('<node>', 'its id, its name, its address, or six or more characters of its id')
      .option('--json', 'the node as JSON')
      .action(async (name: string, flags: JsonFlag) => {
        requireNoAgentsCommand(openHome(io.env));
        const node = await runnerOf(io).removeNode(name);
        const { displayName, id } = node;
        shown(node, `${displayPlain(displayName)} (${id.slice(0, 12)}) was removed.`, flags);
      }),
  ];
}

function ownLines(own: OwnNode | null, problem: string | null, now: number): readonly string[] {
  const troubles = problem === null ? [] : [displayPlain(problem)];
  if (own === null) return ['This machine is the node of no gateway.', ...troubles];
  const state = own.connected
    ? `connected for ${sayDuration(now - own.since)}`
    : own.given
      ? 'not connected, and not trying any more'
      : 'not connected, trying again';
  return [
    `Node      ${own.displayName} (${own.id.slice(0, 12)})`,
    `Gateway   ${own.gateway}, ${own.address}`,
    `State     ${state}`,
    ...(own.problem === null ? [] : [`  ${displayPlain(own.problem)}`]),
    ...(own.further ?? []).map(({ displayName, connected, since, problem: why }) => {
      const how = connected ? `connected for ${sayDuration(now - since)}` : 'not connected';
      return `Also      ${displayPlain(displayName)}: ${how}${why === null ? '' : ` (${displayPlain(why)})`}`;
    }),
    ...(own.given ? ['  Pair anew: interlock node pair HOST --replace'] : []),
    ...troubles,
  ];
}

function listLines(body: NodesBody, now: number): readonly string[] {
  const { listening, calls, problem, nodes, waiting, gateways } = body;
  const isOpen = listening !== null || calls.length > 0;
  return [
    ...(listening === null ? [] : [`Nodes are listened for on ${listening}.`]),
    ...(calls.length === 0 ? [] : [`Nodes come by: ${calls.join(', ')}.`]),
    ...(isOpen
      ? []
      : ['Nodes are not listened for. Set nodes.listen in config.json, such as "0.0.0.0:7433".']),
    ...(problem === null ? [] : [displayPlain(problem)]),
    ...waiting.flatMap((one) => waitingLines(one, now)),
    ...nodes.flatMap((one) => nodeLines(one, gateways, now)),
    ...gateways.map((one) => gatewayLine(one, now)),
    ...(isOpen && nodes.length + waiting.length === 0 ? ['None is paired yet.'] : []),
  ];
}

function waitingLines(
  { code, displayName, address, version, expiresAt, isKnown }: WaitingNode,
  now: number,
): readonly string[] {
  return [
    `${code}  ${displayPlain(displayName)} waits to be paired${isKnown ? ' anew' : ''}`,
    `  from ${address ?? 'somewhere'}, Interlock ${displayPlain(version)}, ${sayDuration(expiresAt - now)} left`,
    '  the same code there? interlock node approve CODE',
  ];
}

function nodeLines(
  node: NodeInfo,
  gateways: readonly FleetGatewayInfo[],
  now: number,
): readonly string[] {
  const { id, displayName, state, online, version, policyHash, lastSeenAt, lastAddress } = node;
  const there = state === 'removed' ? 'removed' : online ? 'online' : 'offline';
  const locks = {
    waiting: ', has not heard of the lockout yet',
    locked: ', locked',
    unlocked: ', unlocked again',
  } as const;
  const lock = lockOf(node);
  const how = `${there}${lock === null ? '' : locks[lock]}`;
  const seen = lastSeenAt === null ? 'never seen' : `seen ${sayDuration(now - lastSeenAt)} ago`;
  return [
    `${displayPlain(displayName).padEnd(20)}  ${how}`,
    `  ${id.slice(0, 12)}  Interlock ${displayPlain(version)}, policy ${policyHash?.slice(0, 12) ?? 'none'}, ` +
      `${online ? 'connected' : seen}${lastAddress === null ? '' : ` from ${lastAddress}`}`,
    ...lostLinks(node, gateways).map(({ gateway, since }) => {
      const ago = since === null ? '' : ` for ${sayDuration(now - since)}`;
      return `  no link to the gateway ${nameOf(gateway)}${ago}`;
    }),
    ...(node.problems ?? []).map(
      ({ message, at }) =>
        `  ! ${displayPlain(message)}${at === null ? '' : ` (${sayDuration(now - at)} ago)`}`,
    ),
  ];
}

function nameOf({ displayName }: FleetGatewayInfo): string {
  return displayName === null ? '(made the fleet)' : displayPlain(displayName);
}

function gatewayLine(gateway: FleetGatewayInfo, now: number): string {
  const { id, isThis, links, lastSeenAt } = gateway;
  const count = links === 1 ? 'one node has' : `${links === 0 ? 'no' : String(links)} nodes have`;
  const seen = lastSeenAt === null ? '' : `, the last one ${sayDuration(now - lastSeenAt)} ago`;
  const how = links === null ? 'not known: no node is here' : `${count} a link to it${seen}`;
  return `Gateway ${nameOf(gateway)} (${id.slice(0, 12)})  ${isThis ? 'this machine' : how}`;
}
