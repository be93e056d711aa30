import {
  doubt,
  executes,
  flag,
  inert,
  merge,
  offersOf,
  parsed,
  path,
  pins,
  reads,
} from '../forms.ts';
import { byHand, getopt, getoptCommand, singleDash, type Syntax } from '../syntax.ts';
import type { Argument, CustomReading, Effect, ProgramRecord, Yield } from '../types.ts';
import { readLoosely } from './shapes.ts';

/** Programs that show what is in things that were built, and in documents. */

const runtime = 'an option hands words to the Java that jar runs in, or a file holds more of them';

/** What `jar` may have besides its files where it only lists. */
const listing = /^-?t[vf]*$|^--list$|^-[tdv]$|^--(?:describe-module|verbose|validate)$/;

/** The archive of a `jar` that lists: `tf x`, `-f x`, `--file x`, `--file=x`. Null where it does more. */
function listedBy(args: readonly Argument[]): readonly Effect[] | null {
  const effects: Effect[] = [];
  let lists = false;
  for (let at = 0; at < args.length; at++) {
    const { text = '', live } = args[at] ?? {};
    const odd = live !== null && !/^[\w./]/.test(text);
    if (odd || text.startsWith('@') || text.startsWith('-J')) return null;
    const [, joined] = /^--file=(.*)$/s.exec(text) ?? [];
    const bundle = listing.test(text) && (at === 0 || text.startsWith('-'));
    const named =
      /^(?:-f|--file)$/.test(text) || (bundle && text.includes('f') && !text.startsWith('--'));
    lists ||= bundle && /^(?:-?t|-d|--list|--desc|--valid)/.test(text);
    if (named) {
      const next = args[++at];
      if (next === undefined || /^[-@]/.test(next.text)) return null;
      effects.push(path('reads', next.text, at, { live: next.live !== null }));
    } else if (joined !== undefined)
      effects.push(path('reads', joined, at, { live: live !== null }));
    else if (!bundle && text.startsWith('-')) return null;
  }
  return lists ? effects : null;
}

function readJar(args: readonly Argument[]): CustomReading {
  if (args.length > 0 && args.every(({ text }) => /^--(?:version|help(?:-extra)?)$/.test(text)))
    return { options: [], operands: [] };
  const listed = listedBy(args);
  const operands = args.map(({ text, live }, word) => ({ text, live, word }));
  if (listed !== null) return { options: [], operands, effects: listed };
  const found = readLoosely(args, { use: 'edits' }, 'jar');
  const hidden = args.find(({ text }) => /^@|^-J/.test(text));
  const unpacks: Effect = path('into', '.', -1);
  return {
    ...found,
    ...merge([
      found,
      { effects: [unpacks] },
      hidden === undefined ? {} : { doubts: [doubt(runtime)] },
    ]),
  };
}

const jar: ProgramRecord = {
  names: ['jar'],
  does: 'Packs, unpacks and lists archives of Java.',
  grammar: { syntax: getoptCommand, read: readJar, offers: offersOf },
};

/** A list of folders and archives, parted by colons. */
const classPath = parsed((value, word) => ({
  effects: value
    .split(':')
    .filter((one) => one !== '')
    .map((one) => path('reads', one.replace(/\/\*$/, ''), word)),
}));

/** A name that is an address is fetched. */
const noAddress = (program: string) => ({
  rest: parsed((value, word): Yield =>
    /^[a-z][a-z\d+.-]*:/i.test(value) || value.startsWith('@')
      ? { doubts: [doubt(`${program} takes what it reads from an address or a list`, word)] }
      : { effects: [path('reads', value, word)] },
  ),
});

const javap: ProgramRecord = {
  names: ['javap'],
  does: 'Shows what classes of Java declare.',
  grammar: {
    syntax: { ...singleDash, name: 'javap' },
    options: {
      '-? -h -help --help -version --version -v -verbose -l -public -protected -package': flag,
      '-p -private -c -s -sysinfo -constants -verify': flag,
      '-cp -classpath --class-path -bootclasspath --module-path': classPath,
      '-m --module --multi-release': inert,
      // It loads a file system from there.
      '--system': executes('javap runs a part of the Java that --system names', inert),
    },
    operands: noAddress('javap'),
    offers: 'reads',
  },
};

const jps: ProgramRecord = {
  names: ['jps'],
  does: 'Lists programs of Java that run.',
  onlyNames: true,
  grammar: {
    syntax: { ...getopt, name: 'jps' },
    options: { '-q -m -l -v -V': flag, '-help -h -?': flag },
    operands: { rest: { ...inert, level: 'pinned', why: 'jps asks another machine' } },
    offers: 'reads',
  },
};

const jcmd: ProgramRecord = {
  names: ['jcmd'],
  does: 'Tells programs of Java that run what to do.',
  grammar: {
    syntax: { ...byHand, name: 'jcmd' },
    options: { '-l -h -help --help -?': flag, '-f': executes('jcmd does what a file says', reads) },
    operands: {
      rest: { ...inert, level: 'pinned', why: 'jcmd tells a running program what to do' },
    },
    offers: 'reads',
  },
};

/** Loops over its words by hand, each spelled in full behind one dash or two. */
const xml: Syntax = { ...byHand, name: 'xmllint', permutes: true, equals: false, endless: true };
const either = (names: string): string =>
  names
    .split(/\s+/)
    .flatMap((name) => [`-${name}`, `--${name}`])
    .join(' ');

const xmllint: ProgramRecord = {
  names: ['xmllint'],
  does: 'Checks, lays out and searches XML.',
  environment: {
    XML_CATALOG_FILES: 'names files that xmllint takes others from',
    SGML_CATALOG_FILES: 'names files that xmllint takes others from',
    XMLLINT_INDENT: 'is put in front of lines',
    XML_DEBUG_CATALOG: 'makes xmllint say more',
  },
  grammar: {
    syntax: xml,
    options: {
      [either(
        `version debug debugent copy recover huge noenc noout nonet nocompact htmlout nowrap quiet timing repeat
         insert compress html xmlout push pushsmall memory nowarning noblanks nocdata format dropdtd nsclean
         nocatalogs auto nofixup-base-uris stream walker chkregister sax1 sax oldxml10 nodict pedantic`,
      )]: flag,
      [either('xpath encode pattern maxmem pretty max-ampl')]: inert,
      '-o': { ...reads, kind: 'writes' },
      [either('output')]: { ...reads, kind: 'writes' },
      // Each of them opens what the document names, in files of anyone and on other machines: seen.
      [either(
        `noent valid postvalid loaddtd dtdattr nodefdtd c14n c14n11 exc-c14n xinclude noxincludenode
         catalogs load-trace test`,
      )]: pins('xmllint opens what the document names'),
      [either('dtdvalid dtdvalidfpi schema relaxng schematron path')]: {
        ...reads,
        level: 'pinned',
        why: 'xmllint opens what the document names',
      },
      [either('shell')]: executes('xmllint takes commands from its input'),
    },
    operands: noAddress('xmllint'),
    offers: offersOf,
  },
};

export const inspectors: readonly ProgramRecord[] = [jar, javap, jps, jcmd, xmllint];
