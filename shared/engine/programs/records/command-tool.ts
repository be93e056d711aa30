import { doubt, flag, inert, layered, merge, risk } from '../forms.ts';
import { getoptCommand } from '../syntax.ts';
import type {
  Argument,
  Command,
  CustomReading,
  Offer,
  Options,
  ProgramRecord,
  Reading,
  Yield,
} from '../types.ts';
import { command, handedOn, readLoosely, type Loose } from './shapes.ts';

/** A package manager or task runner of a language, by the commands that it has. */
interface CommandTool {
  readonly names: readonly string[];
  readonly does: string;
  /** Options in front of the command: what is not here is a doubt, for it may take the next word. */
  readonly front?: Options;
  /** Commands that fetch, build and run what the project says, and nothing that the arguments name. */
  readonly plain?: string;
  /** Options that its commands which only print have beside the usual ones. */
  readonly looksWith?: RegExp;
  /** Commands that only print. */
  readonly looks?: string;
  /** Commands that run what the next words name. */
  readonly runs?: string;
  /** Words behind a command that pin, and why. */
  readonly pins?: RegExp;
  readonly why?: string;
  /** As in `Loose`. */
  readonly labels?: true;
  /** Commands with grammars of their own, which go before the others. */
  readonly commands?: Readonly<Record<string, Command>>;
  readonly caches?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly harmless?: readonly string[];
  readonly chooses?: readonly string[];
  /** It has a command `publish` that sends the package away. */
  readonly publishes?: true;
  /** Without a command it does no more than print. */
  readonly mayBeBare?: true;
  /** A rule may name a script of the project, and leave open what follows. */
  readonly scripts?: true;
  readonly finds?: ProgramRecord['finds'];
  readonly elsewhere?: ProgramRecord['elsewhere'];
}

const words = (text = ''): readonly string[] => text.split(/\s+/).filter((one) => one !== '');

/** What the next words name is run, behind options of which only those that are known take a value. */
function started(reading: Reading, name: string): Yield {
  const why = `${reading.program} ${name} runs what its arguments name`;
  const [first] = reading.operands;
  if (first === undefined) return { doubts: [doubt(why)] };
  const inner = reading.operands.map(({ text, live }) => ({ text, live }));
  const plain = reading.options.length === 0 && /^[A-Za-z][\w-]*$/.test(first.text);
  const leads = /^(?:run|run-script|exec)$/.test(name) && plain && first.live === null;
  const more = leads ? { leading: first.word + 1 } : {};
  return { effects: [{ kind: 'command', words: inner, why, word: first.word, ...more }] };
}

function loosely(tool: CommandTool, name: string, use: Loose['use'], offers: Offer): Command {
  const program = tool.names[0] ?? '';
  const loose: Loose = {
    use,
    runs: true,
    ...(tool.pins === undefined ? {} : { pins: tool.pins }),
    ...(tool.why === undefined ? {} : { why: tool.why }),
    ...(tool.labels === undefined ? {} : { labels: tool.labels }),
  };
  const unknown = ({ text }: Argument): boolean =>
    offers === 'reads' &&
    /^-./.test(text) &&
    !looking.test(text) &&
    tool.looksWith?.test(text) !== true;
  return {
    does: tool.does,
    syntax: getoptCommand,
    read: (args) =>
      merged(readLoosely(args, loose, `${program} ${name}`), {
        doubts: args.flatMap((arg, word) =>
          unknown(arg) ? [doubt(`${program} ${name} has no known option ${arg.text}`, word)] : [],
        ),
      }),
    offers,
  };
}

/** Options of commands that only look: any other may be one for a file that is made. */
const looking = new RegExp(
  `^(?:-[AaDdEghLlnqrTtuVv1]|--(?:no-)?(?:${`help|version|json|format|output-format|verbose|quiet|ansi|interaction|tree|latest|outdated|all
  |top-level|only|with|without|dev|depth|local|remote|installed|why|color|plain|universal|package|invert|prune|frozen|locked
  |offline|dedupe|short|long|names-only|name-only|exact|details|list|field|pattern|direct|platform|self|path|minor-only|major-only
  |patch-only|strict|scripts|licenses|summary|limit|sort|cask|formula|formulae|casks|versions|full-name|pinned|prefix|cellar
  |installed-on-request|installed-as-dependency|multiple|eval-all|include-build|include-optional|include-test|topological
  |annotate|groups?|show-[a-z-]+|only-[a-z-]+|filter-[a-z-]+|parseable|porcelain|noimplicit_deps|notool_deps|keep_going|output|order_output`.replaceAll(
    /\s/g,
    '',
  )}))(?:=.*)?$`,
);

function publishing(program: string): Command {
  return {
    does: 'Publishes the package.',
    syntax: getoptCommand,
    read: (args) =>
      merged(readLoosely(args, { use: 'edits', runs: true }, `${program} publish`), {
        risks: args.some(({ text }) => text === '--dry-run')
          ? []
          : [risk('data-leaving', 'high', `Publishes with ${program} publish.`)],
      }),
    offers: 'exact',
  };
}

function merged(found: CustomReading, more: Yield): CustomReading {
  return { ...found, ...merge([found, more]) };
}

export function commandTool(tool: CommandTool): ProgramRecord {
  const program = tool.names[0] ?? '';
  const own = new Set(Object.keys(tool.commands ?? {}).flatMap((key) => key.split(' ')));
  const left = (text?: string): readonly string[] => words(text).filter((name) => !own.has(name));
  const runs = left(tool.runs).map((name): [string, Command] => [
    name,
    command(
      getoptCommand,
      tool.does,
      { '-y --yes -q --quiet -v --verbose --offline': flag },
      {
        operands: { rest: inert },
        finish: (reading) => started(reading, name),
      },
    ),
  ]);
  return {
    names: tool.names,
    does: tool.does,
    project: { caches: tool.caches ?? [], network: true },
    ...(tool.environment === undefined ? {} : { environment: tool.environment }),
    ...(tool.harmless === undefined ? {} : { harmless: tool.harmless }),
    ...(tool.chooses === undefined ? {} : { chooses: tool.chooses }),
    ...(tool.finds === undefined ? {} : { finds: tool.finds }),
    ...(tool.elsewhere === undefined ? {} : { elsewhere: tool.elsewhere }),
    grammar: {
      syntax: getoptCommand,
      options: layered({ '--version --help': flag, ...tool.front }),
      commands: {
        ...tool.commands,
        ...Object.fromEntries(runs),
        ...(tool.publishes === true && !own.has('publish') ? { publish: publishing(program) } : {}),
        ...Object.fromEntries(
          left(tool.looks).map((name) => [name, loosely(tool, name, 'reads', 'reads')]),
        ),
        ...Object.fromEntries(
          left(tool.plain).map((name) => [name, loosely(tool, name, 'edits', 'exact')]),
        ),
      },
      operands: { rest: inert },
      finish: ({ operands, options }) => {
        const [first] = operands;
        if (first === undefined)
          return tool.mayBeBare === true || options.length > 0
            ? {}
            : { doubts: [doubt(`${program} is called without a command`)] };
        const why = `${program} ${first.text} may be a script, a plug-in or a program`;
        const inner = operands.map(({ text, live }) => ({ text, live }));
        const leads = tool.scripts === true && options.length === 0 && first.live === null;
        const more = leads ? { leading: first.word + 1 } : {};
        const said: Yield = {
          effects: [{ kind: 'command', words: inner, why, word: first.word, ...more }],
          doubts: operands
            .filter(({ text }) => tool.pins?.test(text))
            .map(({ word }) => doubt(why, word)),
        };
        return leads ? merge([said, handedOn(operands.slice(1))]) : said;
      },
      offers: 'exact',
    },
  };
}

/** A command whose options are known, and whose operands the project must hold. */
export function knownCommand(
  does: string,
  options: Options,
  finish: (reading: Reading) => Yield = () => ({}),
  offers: Offer = 'exact',
): Command {
  return command({ ...getoptCommand, permutes: true }, does, options, {
    operands: { rest: inert },
    finish: (reading) => merge([handedOn(reading.operands), finish(reading)]),
    offers,
  });
}
