import { Command } from 'commander';
import { displayPlain } from '../../../shared/base/index.ts';
import { boxTemplates, shippedTemplates } from '../../../shared/agents/index.ts';
import { boxRuntimes, sandboxOfTemplate } from '../../../shared/engine/index.ts';
import { openHome, readConfigFile } from '../../../shared/home/index.ts';
import type { BoxState } from '../../boxes/boxes.ts';
import { BoxError, boxExit } from '../../boxes/errors.ts';
import { say, sayJson } from '../io.ts';
import type { Io } from '../io.ts';
import { named } from './command.ts';
import type { BoxFlags, Done } from './command.ts';
import { showLogs } from './logs.ts';
import { asBoxCommand, openBoxes } from './open.ts';

/** The commands that only look. */
export function listings(io: Io, done: Done): readonly Command[] {
  const ps = new Command('ps')
    .summary('list the boxes, and what goes on in them')
    .description('Lists the boxes, and what goes on in each.')
    .option('--json', 'as JSON, a list')
    .action(async (options: BoxFlags) =>
      asBoxCommand(io, done, async () => {
        const { boxes } = await openBoxes(io, () => undefined);
        const all = await boxes.states();
        if (options.json === true) sayJson(io.stdout, all);
        else if (all.length === 0)
          say(io.stdout, 'There are no boxes. Make one: interlock box up NAME');
        else for (const line of table(all)) say(io.stdout, displayPlain(line));
        return 0;
      }),
    );
  const status = named(
    'status',
    { summary: 'show one box in full', description: 'Shows one box in full.' },
    io,
    done,
    async (name, open, options) => {
      const state = await open.boxes.state(name);
      if (options.json === true) sayJson(io.stdout, state);
      else for (const line of statusLines(state)) say(io.stdout, displayPlain(line));
      return 0;
    },
  );
  const logs = named(
    'logs',
    {
      summary: 'print what a window of a box shows',
      description:
        'Prints what a window of a box shows, with its scrollback, as text. With --written, or once the box is stopped, everything that was written to it.',
    },
    io,
    done,
    async (name, open, options) => showLogs(io, name, open, options),
  )
    .option('--window <name>', 'the window; the first one where none is named')
    .option(
      '--written',
      'what was written by the windows that it began with; the newest 4 to 8 MiB each',
    )
    .option('-f, --follow', 'goes on with what is written');
  return [ps, status, logs];
}

/** What can build boxes on this machine, each with the reason where it cannot. */
export function runtimesCommand(io: Io, done: Done): Command {
  return new Command('runtimes')
    .summary('list what can build boxes here')
    .description(
      'Lists what can build boxes on this machine ("runtime" in a template), and why the others cannot.',
    )
    .option('--json', 'as JSON, a list')
    .action(async (options: BoxFlags) =>
      asBoxCommand(io, done, async () => {
        const { runtime } = await openBoxes(io, () => undefined);
        const rows = await Promise.all(
          boxRuntimes.map(async (name) => ({ name, problem: await runtime.problem(name) })),
        );
        if (options.json === true) sayJson(io.stdout, [...rows, ...without]);
        else
          for (const { name, problem } of [...rows, ...without])
            say(io.stdout, displayPlain(`${name.padEnd(16)} ${problem ?? 'is there'}`));
        return 0;
      }),
    );
}

/** Engines whose containers cannot have a keeper of ours as their first process. */
const without = [
  { name: 'docker', problem: 'It hands no descriptors on, by which a box is kept. Use podman.' },
  { name: 'apple/container', problem: 'It hands no descriptors on, by which a box is kept.' },
] as const;

export function templatesCommand(io: Io, done: Done): Command {
  const templates = new Command('templates')
    .summary('list the templates')
    .description('Lists the templates: those that come with Interlock, and those of config.json.')
    .option('--json', 'as JSON')
    .action(async (options: BoxFlags) =>
      asBoxCommand(io, done, async () => {
        const config = readTemplates(io);
        const rows = Object.entries(boxTemplates(config)).map(([name, template]) => ({
          name,
          agents: template.agents.map((agent) => agent.name),
          network: sandboxOfTemplate(config, template).network,
          description: template.description,
          from: Object.hasOwn(config.boxes.templates, name) ? 'config.json' : 'shipped',
        }));
        if (options.json === true) sayJson(io.stdout, rows);
        else
          for (const { name, agents, network, description } of [
            {
              name: 'TEMPLATE',
              agents: ['AGENTS'],
              network: 'NETWORK',
              description: 'DESCRIPTION',
            },
            ...rows,
          ])
            say(
              io.stdout,
              displayPlain(
                [
                  name.padEnd(16),
                  (agents.join(',') || '-').padEnd(22),
                  network.padEnd(11),
                  description,
                ].join(' '),
              ),
            );
        return Promise.resolve(0);
      }),
    );
  templates.addCommand(
    new Command('check')
      .summary('check the templates of config.json')
      .description(
        'Checks whether the templates of config.json can be used. Exits with 3 where they cannot.',
      )
      .action(async () =>
        asBoxCommand(io, done, async () => {
          const count = Object.keys(readTemplates(io).boxes.templates).length;
          say(
            io.stdout,
            `${String(count)} of config.json and ${String(Object.keys(shippedTemplates).length)} that ship: all can be used.`,
          );
          return Promise.resolve(0);
        }),
      ),
  );
  return templates;
}

export function readTemplates(io: Io) {
  const { uid, config } = openHome(io.env);
  const file = readConfigFile(config, { uid });
  if (file.ok) return file.config;
  throw new BoxError(boxExit.noTemplate, file.problem.message, file.problem.hint);
}

function table(all: readonly BoxState[]): readonly string[] {
  const rows = [
    ['NAME', 'TEMPLATE', 'NETWORK', 'STATUS', 'WINDOWS', 'WORKSPACE'],
    ...all.map((one) => [
      one.name,
      one.template,
      one.network,
      one.locked ? `${one.state}, locked` : one.state,
      one.windows === null
        ? '-'
        : one.windows.map(({ name, hasEnded }) => (hasEnded ? `(${name})` : name)).join(','),
      one.workspace,
    ]),
  ];
  const widths =
    rows[0]?.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0))) ?? [];
  return rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

function statusLines(state: BoxState): readonly string[] {
  const at = (ms: number | null): string => (ms === null ? '-' : new Date(ms).toISOString());
  return [
    `${state.name}: ${state.state}${state.locked ? ', locked' : ''}`,
    `  template   ${state.template}`,
    `  agent      ${state.agent}`,
    `  network    ${state.network}`,
    `  workspace  ${state.workspace}`,
    `  made       ${at(state.createdAt)}`,
    `  started    ${at(state.startedAt)}`,
    `  attached   ${String(state.attached)}`,
    ...(state.windows ?? []).map(
      ({ index, name, hasEnded }) =>
        `  window ${String(index)}   ${name}${hasEnded ? ' (ended)' : ''}`,
    ),
  ];
}
