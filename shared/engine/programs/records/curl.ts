import { doubt, has, inert, merge, path, risk, valuesOf } from '../forms.ts';
import { curl as curlSyntax } from '../syntax.ts';
import type { Effect, ProgramRecord, Reading, Taken, Yield } from '../types.ts';
import { curlOptions } from './curl-options.ts';

const own =
  /^(?:[a-z]+:\/\/)?(?:[^/@]*@)?(?:localhost|127(?:\.\d+){3}|\[::1\]|0\.0\.0\.0|[\w-]+\.localhost)(?::(?![^/]*@)|[/?#]|$)/i;
/** Metadata of cloud machines, however the number is written, and Docker without a key. */
const machine =
  /^(?:[a-z]+:\/\/)?(?:[^/@]*@)?(?:169\.254\.|0x[0-9a-f]|0\d+\.|\d{8,}(?:[:/?#]|$)|metadata(?:\.google\.internal)?(?:[:/?#]|$)|100\.100\.100\.200|\[fd00:ec2:|[^/?#]*:(?:2375|2376|2377)(?:[/?#]|$))/i;
const bodies = ['--data', '-d', '--data-ascii', '--data-binary', '--json', '--data-urlencode'];

/** The addresses, and where what they yield is put; both only count together. */
function transferred(reading: Reading): Yield {
  const { options, operands } = reading;
  const named = options.flatMap(({ name, value, valueWord, live }) =>
    name === '--url' && value !== null ? [{ text: value, word: valueWord, live }] : [],
  );
  const urls = [
    ...operands.map(({ text, word, live }) => ({ text, word, live: live !== null })),
    ...named,
  ];
  const sends = reading.effects.some((one) => one.kind === 'reaches' && one.direction === 'sends');
  const keys = options.filter(({ value }) => value?.includes('pkcs11:') === true);
  const loaded = keys.map(({ valueWord }) => doubt('curl loads a library for keys', valueWord));
  const parts: Yield[] = urls.map(({ text, word, live }) => address(text, { word, live, sends }));
  return merge([...parts, { doubts: loaded }, outputs(reading, urls), risksOf(reading, urls)]);
}

/** An address with one `?` behind its machine, and no other pattern of the shell or of curl. */
const query = /^https?:\/\/[\w.-]+(?::\d+)?\/[\w./~%-]*\?[\w./~%=+,:-]*$/;

function address(
  text: string,
  { word, live, sends }: { readonly word: number; readonly live: boolean; readonly sends: boolean },
): Yield {
  // All that `?a=1` could match has the same scheme, machine and beginning.
  const doubts =
    live && !query.test(text) ? [doubt('an address of curl is a pattern of the shell', word)] : [];
  if (text.startsWith('@')) return { doubts: [doubt('addresses of curl stand in a file', word)] };
  const file = /^file:(?:\/\/[^/]*)?(\/.*)$/is.exec(text)?.[1];
  if (file !== undefined || /^file:/i.test(text))
    return {
      effects: [path('reads', decoded(file ?? text.slice(5)), word)],
      doubts: /[{[]/.test(text)
        ? [...doubts, doubt('an address names several files', word)]
        : doubts,
    };
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1]?.toLowerCase();
  if (scheme !== undefined && !/^(?:https?|ftps?|wss?)$/.test(scheme))
    doubts.push(doubt(`curl speaks ${scheme}`, word));
  if (
    /^[^/?#{[]*(?:\/\/[^/?#{[]*)?[{[]/.test(text) &&
    !/^(?:[a-z]+:\/\/)?(?:[^/@]*@)?\[[0-9a-f:.%]+\]/i.test(text)
  )
    doubts.push(doubt('an address names several machines, or a file', word));
  if (machine.test(text))
    doubts.push(doubt('a service there hands out credentials or starts programs', word));
  const direction = sends ? 'sends' : 'fetches';
  return { effects: [{ kind: 'reaches', address: text, direction, word }], doubts };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

interface Url {
  readonly text: string;
  readonly word: number;
}

function outputs(reading: Reading, urls: readonly Url[]): Yield {
  const { options } = reading;
  const folder = valuesOf(reading, '--output-dir').at(-1);
  // A folder that is not there yet is made, and otherwise nothing is written.
  const makes = has(reading, '--create-dirs');
  const base = folder === undefined || !makes ? folder : `${folder}/`;
  const effects: Effect[] = [];
  const doubts = [];
  for (const { name, value, valueWord, live } of options) {
    if ((name !== '-o' && name !== '--output') || value === null || value === '-') continue;
    effects.push(path('writes', value, valueWord, { base, live }));
    if (/#[0-9]/.test(value))
      doubts.push(doubt('parts of addresses decide what curl writes', valueWord));
  }
  if (
    has(reading, '-J', '--remote-header-name') &&
    has(reading, '-O', '--remote-name', '--remote-name-all')
  )
    effects.push(path('into', base ?? '.', -1));
  if (!has(reading, '-O', '--remote-name', '--remote-name-all')) return { effects, doubts };
  for (const { text, word } of urls) {
    const name = text.replace(/[?#].*$/s, '').replace(/^.*\//s, '');
    if (/[{[]/.test(text)) doubts.push(doubt('parts of addresses decide what curl writes', word));
    effects.push(path('writes', decoded(name), word, { base }));
  }
  return { effects, doubts };
}

const sending: ReadonlySet<string> = new Set([
  ...bodies,
  '--data-raw',
  '-F',
  '--form',
  '-T',
  '--upload-file',
  '--form-string',
]);
/** These send a file only where they name one. */
const headers: ReadonlySet<string> = new Set(['-H', '--header', '--proxy-header', '--url-query']);

function risksOf(reading: Reading, urls: readonly Url[]): Yield {
  const target = urls.find(({ text }) => !own.test(text))?.text;
  const files = new Set(
    reading.effects.flatMap((one) =>
      one.kind === 'path' && one.use === 'reads' ? [one.word] : [],
    ),
  );
  const fromFile = ({ name, value, valueWord }: Taken): boolean =>
    files.has(valueWord) ||
    (/^(?:-T|--upload-file)$/.test(name) && /^[-.]$/.test(value ?? '')) ||
    (/^(?:[\w-]*=)?@|^[\w-]+@/.test(value ?? '') && !/raw$|string$/.test(name));
  const data = reading.options.filter(
    (one) => sending.has(one.name) || (headers.has(one.name) && fromFile(one)),
  );
  if (target === undefined) return {};
  if (data.length === 0) return changing(reading, target);
  const named = data.filter(fromFile);
  const words = (named.length > 0 ? named : data).map(({ valueWord }) => valueWord);
  const what = named.map(({ value }) => value).join(', ');
  return {
    risks: [
      named.length > 0
        ? risk('data-leaving', 'high', `Sends ${what} to ${target}.`, words)
        : risk('data-leaving', 'low', `Sends data to ${target}.`, words),
    ],
  };
}

/** A method by which a service changes what it keeps. */
function changing({ options }: Reading, target: string): Yield {
  const method = options.findLast(({ name }) => name === '-X' || name === '--request');
  const value = method?.value ?? null;
  if (method === undefined || value === null || /^(?:GET|HEAD|OPTIONS)$/.test(value)) return {};
  const words = [...new Set([method.word, method.valueWord])];
  return {
    risks: [
      value === 'DELETE'
        ? risk('data-loss', 'low', `Deletes ${target}.`, words)
        : risk('data-leaving', 'low', `Sends a ${value} to ${target}.`, words),
    ],
  };
}

const curl: ProgramRecord = {
  // Its options name all that it writes.
  changes: () => 'none',
  names: ['curl'],
  does: 'Fetches from and sends to addresses.',
  held: { settings: ['.curlrc', '.config/curlrc'] },
  environment: {
    CURL_HOME: 'names options of curl, which can write files and send them',
    XDG_CONFIG_HOME: 'names options of curl, which can write files and send them',
    HOME: 'names options of curl, which can write files and send them',
    CURL_CA_BUNDLE: 'makes curl trust other certificates',
    SSL_CERT_FILE: 'makes curl trust other certificates',
    SSL_CERT_DIR: 'makes curl trust other certificates',
    SSLKEYLOGFILE: 'makes curl write its session keys into a file',
    QLOGDIR: 'makes curl write a log of connections',
    http_proxy: 'sends traffic through another machine',
    HTTPS_PROXY: 'sends traffic through another machine',
    ALL_PROXY: 'sends traffic through another machine',
    NO_PROXY: 'sends traffic around the machine that should see it',
    CURL_SSL_BACKEND: 'decides which library curl uses for connections',
  },
  grammar: {
    syntax: curlSyntax,
    options: curlOptions,
    operands: { rest: inert },
    finish: transferred,
    offers: 'exact',
  },
};

export const curlPrograms: readonly ProgramRecord[] = [curl];
