import {
  doubt,
  has,
  inert,
  into,
  merge,
  parsed,
  path,
  pins,
  reads,
  risk,
  valuesOf,
} from '../../forms.ts';
import { readFilter } from '../../languages/jq.ts';
import type { Command, Options, Reading, Yield } from '../../types.ts';
import { cobra, group as bareGroup, looks } from '../cobra.ts';
import { withRoles } from '../shapes.ts';

const filter = parsed((value, word) => readFilter(value, word));
export const field = parsed((value, word) => {
  const file = /^[^=]*=@(.*)$/s.exec(value)?.[1];
  return file === undefined || file === '-' ? {} : { effects: [path('reads', file, word)] };
});

function roles(options: string, more: Options = {}): Options {
  const known: Options = {
    '--jq': filter,
    '--body-file': reads,
    '--notes-file': reads,
    '--web': pins('a browser is started'),
    '--editor': pins('an editor is started'),
    '--dir': into,
    '--recover': reads,
  };
  const own = Object.entries(known).filter(([name]) =>
    new RegExp(`${name}(?![\\w-])`).test(options),
  );
  return withRoles(`${options} --help`, { ...Object.fromEntries(own), ...more });
}

/** Words of a command that name another service, to which a login of this machine may go. */
function elsewhere({ program, options, operands }: Reading): Yield {
  const repositories = options.flatMap(({ name, value, valueWord: word }) =>
    value !== null && /^(?:-R|--repo)$/.test(name) ? [{ text: value, word }] : [],
  );
  return {
    doubts: [...repositories, ...operands]
      .filter(({ text }) => namesAnother(text, program))
      .map(({ word }) => doubt(`${program} may send a login to the machine that is named`, word)),
  };
}

const service = /^(?:[\w-]+\.)*(?:github|gitlab)\.com$/i;

/** `host/owner/repository` for GitHub, and addresses for both. */
function namesAnother(text: string, program: string): boolean {
  const host =
    /^\s*[a-z][a-z0-9+.-]*:\/\/(?:[^/@]*@)?([^/:?#]*)/i.exec(text)?.[1] ??
    /^\s*[^\s/@]+@([^\s/:]+):/.exec(text)?.[1] ??
    (program === 'gh' ? /^([^\s/]+)\/[^\s/]+\/[^\s/]+$/.exec(text)?.[1] : undefined);
  return host !== undefined && !service.test(host);
}

/** What stands behind `--` is for git. */
function behindDashes({ program, operands }: Reading): Yield {
  const given = operands.find(({ text }) => text.startsWith('-') && text !== '-');
  return given === undefined
    ? {}
    : { doubts: [doubt(`${program} hands what stands behind \`--\` to git`, given.word)] };
}

export function guarded(reading: Reading): Yield {
  return merge([behindDashes(reading), elsewhere(reading)]);
}

/** All but what only brings something here. */
export const beyond =
  /^(?!(?:(?:repo clone|(?:pr|mr) checkout|run download|release download)$|api$|config|completion|alias|browse|help))/;

const json = '-q|--jq= --json[] -t|--template= -w|--web -L|--limit=';
export const R = { '-R --repo': inert };
export const reading = (does: string, options = ''): Command =>
  looks(does, roles(`${options} ${json}`), { finish: guarded });
export const changing = (does: string, options = '', more: Options = {}): Command =>
  cobra(does, roles(options, more), { finish: guarded });
export const risky = (command: Command, code: string, text: string): Command => ({
  ...command,
  finish: (one) => merge([command.finish?.(one) ?? {}, { risks: [risk(code, 'high', text)] }]),
});
/** Names of the files come from there; without `--dir` they are put here. */
export const fetching = (command: Command): Command => ({
  ...command,
  finish: (one) =>
    merge([
      command.finish?.(one) ?? {},
      has(one, '-D', '--dir', '-O', '--output') ? {} : { effects: [path('into', '.', -1)] },
    ]),
});
export const group = (does: string, commands: Readonly<Record<string, Command>>): Command =>
  bareGroup(does, commands, R);

export const texts =
  '-b|--body= -F|--body-file= -t|--title= -m|--milestone= -e|--editor -T|--template= -w|--web';
export const people = `-a|--assignee= -l|--label= -p|--project= --add-assignee= --add-label= --add-project= --add-reviewer=
  --remove-assignee= --remove-label= --remove-project= --remove-reviewer= --remove-milestone -r|--reviewer=`;

/** Requests beyond GET change what the service keeps; a query of GraphQL does not. */
function called(one: Reading): Yield {
  const { options, operands, effects } = one;
  const method = valuesOf(one, '-X', '--method').at(-1)?.toUpperCase();
  const fields = options.filter(({ name }) => /^(?:-f|-F|--field|--raw-field|--input)$/.test(name));
  const query = fields.find(({ value }) => value?.startsWith('query=') === true)?.value ?? '';
  const asks = /^query=\s*(?:query\b|\{)/.test(query) && !/\bmutation\b/.test(query);
  const isRead =
    method === 'GET' ||
    method === 'HEAD' ||
    (method === undefined && fields.length === 0) ||
    (operands[0]?.text === 'graphql' && asks && (method ?? 'POST') === 'POST');
  const sendsFile = effects.some((effect) => effect.kind === 'path' && effect.use === 'reads');
  return {
    ...(isRead ? {} : { doubts: [doubt(`${one.program} api changes what the service keeps`)] }),
    risks: [
      ...(method === 'DELETE'
        ? [risk('data-loss', 'high', 'Deletes through the interface of the service.')]
        : []),
      ...(sendsFile ? [risk('data-leaving', 'high', 'Sends a file to GitHub.')] : []),
    ],
  };
}

export const api: Command = cobra(
  'Calls the interface of the service.',
  roles(
    `--cache= -F|--field= -H|--header= --hostname= -i|--include --input= -X|--method= --paginate -p|--preview=
     -f|--raw-field= --silent --slurp -t|--template= --verbose -q|--jq= --output=`,
    { '-F --field': field, '-f': field, '--input': reads },
  ),
  { finish: (one) => merge([behindDashes(one), called(one)]), offers: 'exact' },
);
