import { doubt, listedBesidePackages, merge } from '../forms.ts';
import { byHand } from '../syntax.ts';
import type { Argument, ProgramRecord, Yield } from '../types.ts';
import { namesIn, readLoosely } from './shapes.ts';
import type { Loose } from './shapes.ts';

/** First words by which such programs start what the next words name. */
const startingWord =
  /^(?:exec|execute|dlx|eval|run-script|runner|console|repl|ssh|sh|foreach|forall|alias|runlabel|try-repo|configure)$/;

/** Options whose value is a folder that such a program fills, and that many of them empty first. */
const filling =
  /^--?(?:[\w-]+\.)*(?:out-?(?:dir(?:ectory)?|path|folder)|output(?:-?(?:dir(?:ectory)?|path|folder))?|dest(?:ination)?(?:-?dir)?|[\w-]*(?:reports?|coverage|results?|dist|build|site|publish|temp|tmp)-?(?:dir(?:ectory)?|path|folder))$/i;
/** The same as one letter, by program. */
const fillingLetters: Readonly<Record<string, RegExp>> = {
  jekyll: /^-d/,
  hugo: /^-d/,
  mkdocs: /^-d/,
  storybook: /^-o/,
  webpack: /^-o/,
  parcel: /^-d/,
};
const madeName =
  /^\/tmp\/.|(?:^|[/._-])(?:te?mp|basetemp|cache|build|out|output|dist|coverage|reports?|results?|target|bundle|storybook-static|htmlcov)(?:$|[/._-])|(?:^|\/)_site(?:\/|$)|\.(?:json|xml|html|txt|md|csv|svg|css|m?js|cjs|map|log|tap|lcov|info|png|dot)$/i;

/** Whether people know of such a folder that a run makes it, whatever it held before; files, too. */
export function isMade(path: string): boolean {
  const below = path.replace(/^(?:\.\.\/)+/, '');
  return madeName.test(below) && !/(?:^|\/)\.\.(?:\/|$)/.test(below);
}

/** Options that say where such a program listens. */
const listening =
  /^(?:-H|--?(?:host(?:name)?|bind(?:-address)?|ip|address|listen|inspect(?:-\w+)*|tunnel|lan|public-host))$/;
const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)(?::\d+)?$|^\d{1,5}$/;
/** They have a host of another kind behind such an option, or none. */
const listensNowhere: ReadonlySet<string> = new Set(['ansible-lint', 'sequelize', 'knex', 'meson']);

/** What the project does not bound: a folder of sources that is emptied, a port for the whole network. */
function beyondFiles(name: string, args: readonly Argument[]): Yield {
  return merge(
    args.flatMap(({ text }, word): readonly Yield[] => {
      const [, option = text, attached] = /^(-[^=]*)=(.*)$/s.exec(text) ?? [];
      const next = args[word + 1]?.text ?? '';
      const value = attached ?? (next.startsWith('-') ? '' : next);
      const isLetter = fillingLetters[name]?.test(text) === true;
      const named = filling.test(option) ? value : '';
      const folder = isLetter ? text.slice(2).replace(/^=/, '') || next : named;
      if (folder !== '' && !isMade(folder))
        return [{ doubts: [doubt(`${name} may delete what lies in ${folder}`, word)] }];
      if (listening.test(option) && !listensNowhere.has(name) && !loopback.test(value))
        return [{ doubts: [doubt(`${name} may listen to other machines`, word)] }];
      return [];
    }),
  );
}

/**
 * Programs that run what a project says: its scripts, tests, plug-ins and settings. A rule for one
 * trusts the project, so nothing of the arguments may lead out of it.
 */
export function projectTools(
  does: string,
  names: string,
  {
    pins,
    why,
    caches = [],
  }: Pick<Loose, 'pins' | 'why'> & { readonly caches?: readonly string[] } = {},
): readonly ProgramRecord[] {
  return namesIn(names).map((name) => ({
    names: [name],
    does,
    project: { caches, network: true },
    grammar: {
      syntax: byHand,
      read: (args) => {
        const loose: Loose = {
          use: 'edits',
          runs: true,
          lists: listedBesidePackages,
          ...(pins === undefined ? {} : { pins }),
          ...(why === undefined ? {} : { why }),
        };
        const reading = readLoosely(args, loose, name);
        const word = reading.operands.slice(0, 3).find((one) => startingWord.test(one.text));
        const starts =
          word === undefined
            ? {}
            : { doubts: [doubt(`${name} ${word.text} starts what its arguments name`, word.word)] };
        return { ...reading, ...merge([reading, starts, beyondFiles(name, args)]) };
      },
      offers: 'exact',
    },
  }));
}
