import {
  has,
  inert,
  into,
  merge,
  parsed,
  path,
  pinned,
  pins,
  reads,
  risk,
  secret,
  starts,
  writes,
  executes,
} from '../forms.ts';
import { getopt, gnu } from '../syntax.ts';
import type { Effect, ProgramRecord, Reading, Use } from '../types.ts';
import { plainly, withRoles } from './shapes.ts';

const fetched: Use = { ...inert, kind: 'reaches', direction: 'fetches' };
const own = /^(?:[^@]*@)?(?:localhost|127(?:\.\d+){3}|\[::1\])$/i;

const curlLike = 'data-leaving';
const wgetOptions = withRoles(
  `-V|--version -h|--help -b|--background -d|--debug -q|--quiet -v|--verbose -nv|--no-verbose --report-speed= -F|--force-html -B|--base= --no-config -t|--tries= --retry-connrefused --retry-on-http-error=
  -nc|--no-clobber --no-netrc -c|--continue --start-pos= --progress= --show-progress -N|--timestamping --no-if-modified-since --no-use-server-timestamps -S|--server-response --spider -T|--timeout=
  --dns-timeout= --connect-timeout= --read-timeout= -w|--wait= --waitretry= --random-wait --no-proxy -Q|--quota= --bind-address= --limit-rate= --no-dns-cache --restrict-file-names= --ignore-case -4|--inet4-only
  -6|--inet6-only --prefer-family= --user= --ask-password --no-iri --local-encoding= --remote-encoding= --unlink --xattr -nd|--no-directories -x|--force-directories -nH|--no-host-directories --protocol-directories
  --cut-dirs= --http-user= --no-cache -E|--adjust-extension|--html-extension --ignore-length --compression= --max-redirect= --proxy-user= --referer= --save-headers -U|--user-agent= --no-http-keep-alive
  --no-cookies --keep-session-cookies --method= --content-disposition --content-on-error --trust-server-names --auth-no-challenge --secure-protocol= --https-only --certificate-type= --ciphers= --pinnedpubkey= --no-hsts
  --ftp-user= --no-remove-listing --no-glob --no-passive-ftp --preserve-permissions --retr-symlinks --ftps-implicit --ftps-resume-ssl --ftps-clear-data-connection --ftps-fallback-to-ftp
  --warc-header= --warc-max-size= --warc-cdx --no-warc-compression --no-warc-digests --no-warc-keep-log -r|--recursive -l|--level= --delete-after -k|--convert-links --convert-file-only --backups[] -K|--backup-converted -m|--mirror
  -p|--page-requisites --strict-comments -A|--accept= -R|--reject= --accept-regex= --reject-regex= --regex-type= -D|--domains= --exclude-domains= --follow-ftp --follow-tags= --ignore-tags= -H|--span-hosts -L|--relative
  -I|--include-directories= -X|--exclude-directories= -np|--no-parent -n= --post-data= --body-data= --header=`
    .replace('-nv|--no-verbose', '--no-verbose')
    .replace('-nc|', '')
    .replace('-nd|', '')
    .replace('-nH|', '')
    .replace('-np|', ''),
  {
    '-e --execute --config --use-askpass': executes(
      'wget runs settings from its options and starts the program in --use-askpass',
      inert,
    ),
    '--no-check-certificate': pins('wget trusts any machine'),
    '-i --input-file': pinned(reads, 'addresses stand in a file'),
    '--password --http-password --ftp-password --proxy-password': secret,
    '-o --output-file -a --append-output --save-cookies --rejected-log --warc-file --hsts-file --default-page -O --output-document':
      writes,
    '-P --directory-prefix --warc-tempdir': into,
    '--load-cookies': pinned(reads, 'wget sends the cookies of a file'),
    '--certificate --private-key --ca-certificate --ca-directory --crl-file --warc-dedup': reads,
    '--post-file --body-file': reads,
    '--header': parsed(() => ({})),
    '--private-key-type': inert,
  },
);
const local =
  /^(?:[a-z]+:\/\/)?(?:[^/@]*@)?(?:localhost|127(?:\.\d+){3}|\[::1\]|0\.0\.0\.0|[\w-]+\.localhost)(?:[:/]|$)/i;

/** Without a name of their own, files get the last part of their address. */
function fetchedFiles(one: Reading): readonly Effect[] {
  if (has(one, ...othersName)) return [path('into', '.', -1)];
  return one.operands.map(({ text, word }) => {
    const name = text.replace(/[#?].*$/s, '').replace(/^(?:[a-z]+:\/\/)?[^/]*\/?(?:.*\/)?/is, '');
    return path('writes', name === '' ? 'index.html' : name, word);
  });
}

/** Options with which other machines, or files, decide the names of the files. */
const othersName =
  `-r --recursive -m --mirror -p --page-requisites -x --force-directories -i --input-file
  --content-disposition --trust-server-names -E --adjust-extension`.split(/\s+/);

const wget: ProgramRecord = {
  names: ['wget', 'wget2'],
  does: 'Fetches addresses.',
  environment: {
    WGETRC: 'names options of wget, which can write files and send them',
    SYSTEM_WGETRC: 'names options of wget, which can write files and send them',
    HTTPS_PROXY: 'sends traffic through another machine',
    HTTP_PROXY: 'sends traffic through another machine',
  },
  grammar: {
    syntax: gnu,
    options: wgetOptions,
    operands: { rest: fetched },
    finish: (one) => {
      const { options, operands } = one;
      const sent = options.filter(
        ({ name, value }) =>
          /^--(?:post|body)-(?:file|data)$/.test(name) ||
          (name === '--method' && !/^(?:GET|HEAD|OPTIONS)$/i.test(value ?? '')),
      );
      const away = operands.find(({ text }) => !local.test(text));
      const file = sent.some(({ name }) => name.endsWith('-file'));
      const writesNamed = has(
        one,
        '-O',
        '--output-document',
        '--spider',
        '-V',
        '--version',
        '-h',
        '--help',
      );
      return {
        effects: writesNamed || has(one, '-P', '--directory-prefix') ? [] : fetchedFiles(one),
        risks:
          sent.length === 0 || away === undefined
            ? []
            : [
                risk(
                  curlLike,
                  file ? 'high' : 'low',
                  `Sends ${file ? 'a file' : 'data'} to ${away.text}.`,
                  sent.map(({ word }) => word),
                ),
              ],
      };
    },
    offers: 'exact',
  },
};

const netcat: ProgramRecord = {
  names: ['nc', 'netcat', 'ncat', 'nc.openbsd', 'nc.traditional'],
  does: 'Opens a connection.',
  grammar: {
    syntax: getopt,
    options: withRoles(
      '-4 -6 -b -C -D -d -F -h -k -l -N -n -r -S -t -U -u -v -z -I= -i= -M= -m= -O= -P= -p= -q= -s= -T= -V= -W= -w= -X= -Z',
      {
        '-e --exec -c --sh-exec --lua-exec': executes('nc starts a program with -e or -c', starts),
        '-x': fetched,
        '-o': writes,
      },
    ),
    operands: { rest: inert },
    finish: (one) => {
      const runs = has(one, '-e', '--exec', '-c', '--sh-exec', '--lua-exec');
      const [host] = one.operands;
      const effects: Effect[] =
        host === undefined || has(one, '-z')
          ? []
          : [
              {
                kind: 'reaches',
                address: host.text,
                direction: 'sends',
                input: true,
                word: host.word,
              },
            ];
      if (runs)
        return {
          effects,
          risks: [risk('data-leaving', 'high', 'Hands a program over to another machine.')],
        };
      if (has(one, '-z') || (host !== undefined && own.test(host.text))) return { effects };
      return {
        effects,
        risks: [risk('data-leaving', 'low', 'Opens a connection to another machine.')],
      };
    },
    offers: 'exact',
  },
};

/** They take what to fetch, and under which names, from files and other machines. */
const fetchers = plainly('Fetches addresses.', 'aria2c axel', { use: 'edits' }, 'exact').map(
  (record): ProgramRecord => ({
    ...record,
    grammar: {
      ...record.grammar,
      read: (args) => {
        const found = record.grammar.read?.(args) ?? { options: [], operands: [] };
        const at = args.findIndex(({ text }) => /^(?:-d|--dir(?:=|$))/.test(text));
        const glued = /^(?:-d|--dir=?)(.*)$/s.exec(args[at]?.text ?? '')?.[1] ?? '';
        const folder = at === -1 ? '.' : glued === '' ? (args[at + 1]?.text ?? '.') : glued;
        return { ...found, ...merge([found, { effects: [path('into', folder, at)] }]) };
      },
    },
  }),
);

export const networkPrograms: readonly ProgramRecord[] = [wget, netcat, ...fetchers];
