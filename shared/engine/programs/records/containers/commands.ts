import { doubt, inert, path, plainOptions, reaches, risk } from '../../forms.ts';
import { pflagCommand } from '../../syntax.ts';
import type { Command, Options, Reading, Yield } from '../../types.ts';
import { cobra, looks as onlyLooks } from '../cobra.ts';
import { carried } from '../shapes.ts';

/** Podman also takes the latest container in place of a name. */
export const looks = (does: string, options = '', more: Partial<Command> = {}): Command =>
  onlyLooks(does, `${options} -l|--latest`, more);

export function inside(does: string, what: string, options: Options): Command {
  return {
    does,
    syntax: pflagCommand,
    options,
    operands: { rest: inert },
    finish: (reading) => {
      const [target] = reading.operands;
      const why = `${reading.program} ${what} runs a command in a container`;
      if (reading.operands.length > 1) return carried(reading, { why, skip: 1 });
      return { doubts: [doubt(why, target?.word ?? -1)] };
    },
    offers: 'exact',
  };
}

/** `container:path` is not here. */
export function copied({ operands }: Reading): Yield {
  const [from, to] = operands;
  const here = (text: string): boolean =>
    text !== '-' && (/^[./~]/.test(text) || !text.includes(':'));
  return {
    effects: [
      ...(from !== undefined && here(from.text)
        ? [path('reads', from.text, from.word, { tree: true, live: from.live !== null })]
        : []),
      ...(to !== undefined && here(to.text)
        ? [
            path('into', to.text, to.word),
            // In a folder that is there it keeps the last part of its name.
            ...landing(from?.text ?? '').map((name) =>
              path('writes', name, to.word, { base: to.text }),
            ),
          ]
        : []),
    ],
    doubts: operands.length > 2 ? [doubt('cp takes two operands', operands[2]?.word)] : [],
  };
}

function landing(from: string): readonly string[] {
  const name = from.replace(/\/+$/, '').replace(/^.*[/:]/, '');
  return name === '' || name === '.' || name === '..' ? [] : [name];
}

export const push: Command = cobra(
  'Publishes an image.',
  plainOptions('-a|--all-tags --disable-content-trust --platform= -q|--quiet --tls-verify --help'),
  {
    operands: { rest: reaches('sends') },
    finish: () => ({ risks: [risk('data-leaving', 'high', 'Publishes an image.')] }),
  },
);

/** They end, remove or change what may be used elsewhere, or the account; others only make something new. */
export const actsOnOthers =
  /(?:^| )(?:rm|remove|rmi|stop|kill|restart|pause|unpause|update|rename|prune|down|scale|login|logout|disconnect|connect|push|commit|swarm|node|service|stack|secret|config|context|plugin|trust|use)(?: |$)/;

export const elsewhere = 'an option chooses another machine or other settings';
