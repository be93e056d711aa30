import {
  doubt,
  code,
  edits,
  flag,
  inert,
  loads,
  parsed,
  path,
  pinned,
  pins,
  reaches,
  reads,
  secret,
  writes,
  executes,
} from '../forms.ts';
import type { Options, Use, Yield } from '../types.ts';

/** A file behind `@`: what it holds is sent. */
function sent(file: string, word: number): Yield {
  const effects = [{ kind: 'reaches', address: '', direction: 'sends', word } as const];
  return file === '-' ? { effects } : { effects: [...effects, path('reads', file, word)] };
}

/** `-d @file`; other text is sent as it stands. */
const body = parsed((value, word) =>
  value.startsWith('@') ? sent(value.slice(1), word) : sent('-', word),
);
/** `--data-urlencode name@file`. */
const encodedBody = parsed((value, word) => {
  const file = /^[^=@]*@(.*)$/s.exec(value)?.[1];
  return sent(file ?? '-', word);
});
/** `-F name=@file,file2;type=…` and `-F name=<file`. */
const form = parsed((value, word) => {
  const content = value.slice(value.indexOf('=') + 1);
  if (!/^[@<(]/.test(content) && !/;\s*headers\s*=/.test(content)) return sent('-', word);
  if (!/^[@<][^;",\\]+(?:;(?:type|filename)=[^;",\\]*)*$/.test(content))
    return { doubts: [{ level: 'pinned', why: 'a form of curl is not understood', word }] };
  return sent(content.slice(1).split(';', 1)[0] ?? '', word);
});
const header = parsed((value, word) => (value.startsWith('@') ? sent(value.slice(1), word) : {}));
/** Without `=` it is a file. */
const cookie = parsed((value, word) => (value.includes('=') ? {} : sent(value, word)));
const certificate: Use = parsed((value, word) => {
  const file = value.replace(/:[^:]*$/, '');
  return value.startsWith('pkcs11:')
    ? { effects: [{ kind: 'loads', path: value, why: 'curl loads a library for keys', word }] }
    : { effects: [path('reads', file, word)] };
});
/** The format of `-w` can come from a file and be written to one. */
const writeOut = parsed((value, word) => {
  if (value.startsWith('@'))
    return {
      effects: value === '@-' ? [] : [path('reads', value.slice(1), word)],
      doubts: [doubt('a file decides what curl writes, and where', word)],
    };
  const outputs = [...value.matchAll(/%output\{(?:>>)?([^}]*)\}?/g)];
  return { effects: outputs.map(([, name = '']) => path('writes', name, word)) };
});
const variable = parsed((value, word) => {
  const file = /^%?[^=@]*@(.*)$/s.exec(value)?.[1];
  return file === undefined ? {} : sent(file, word);
});
const elsewhere = (what: string): Use => pinned(reaches('sends'), `curl ${what}`);
const streams = (use: Use): Use =>
  parsed((value, word) =>
    value === '-' || value === '%'
      ? {}
      : { effects: [path(use.kind === 'edits' ? 'edits' : 'writes', value, word)] },
  );

const flags =
  `--anyauth --basic --cert-status --compressed --compressed-ssh --create-dirs --crlf --digest
  --disable-eprt --eprt --disable-epsv --epsv --disallow-username-in-url --doh-cert-status --doh-insecure
  --fail-early --fail-with-body --false-start --form-escape --ftp-create-dirs --ftp-pasv --ftp-pret
  --ftp-skip-pasv-ip --ftp-ssl-ccc --ftp-ssl-control --haproxy-protocol --http0.9 --http1.1 --http2
  --http2-prior-knowledge --http3 --http3-only --ignore-content-length --mail-rcpt-allowfails --metalink
   --alpn --no-alpn --clobber --no-clobber --keepalive --no-keepalive
  --npn --no-npn --progress-meter --no-progress-meter --sessionid --no-sessionid --ntlm 
  --parallel-immediate --path-as-is --post301 --post302 --post303 --proxy-anyauth --proxy-basic
  --proxy-ca-native --ca-native --proxy-digest --proxy-http2 --proxy-insecure 
  --proxy-ntlm --proxy-ssl-allow-beast --proxy-ssl-auto-client-cert --proxy-tlsv1 --raw
  --remote-name-all --remove-on-error --retry-all-errors --retry-connrefused --sasl-ir --skip-existing
  --socks5-basic --socks5-gssapi --socks5-gssapi-nec --ssl --ftp-ssl --ssl-allow-beast
  --ssl-auto-client-cert --ssl-no-revoke --ssl-reqd --ftp-ssl-reqd --ssl-revoke-best-effort
  --styled-output --suppress-connect-headers --tcp-fastopen --tcp-nodelay --tftp-no-options --tlsv1.0
  --tlsv1.1 --tlsv1.2 --tlsv1.3 --tr-encoding --trace-ids --trace-time --xattr --test-event --mptcp
  --tls-earlydata --location-trusted`.split(/\s+/);

const values = `--aws-sigv4 --ciphers --connect-timeout --create-file-mode --curves  --dns-interface
  --dns-ipv4-addr --dns-ipv6-addr --expect100-timeout --form-string --ftp-account
  --ftp-alternative-to-user --ftp-method --ftp-ssl-ccc-mode --happy-eyeballs-timeout-ms
  --haproxy-clientip --hostpubmd5 --hostpubsha256 --interface --ip-tos --ipfs-gateway
  --keepalive-time --keepalive-cnt   --limit-rate --local-port --login-options
  --mail-auth --mail-from --mail-rcpt --max-filesize --max-redirs --noproxy --parallel-max
  --parallel-max-host --proto --proto-redir --proxy-ciphers --proxy-service-name
  --proxy-tls13-ciphers --proxy-tlsauthtype --proxy-tlsuser --rate --request-target --retry
  --retry-delay --retry-max-time --sasl-authzid --service-name --socks5-gssapi-service
  --tftp-blksize --tls-max --tls13-ciphers --tlsauthtype --tlsuser --trace-config --vlan-priority
  --signature-algorithms`.split(/\s+/);

export const curlOptions: Options = {
  '--proto-default': parsed((value, word) =>
    /^https?$/i.test(value)
      ? {}
      : { doubts: [doubt('addresses without a scheme stand for something else', word)] },
  ),
  ...Object.fromEntries(flags.map((name) => [name, flag])),
  ...Object.fromEntries(values.map((name) => [name, inert])),
  '-# --progress-bar': flag,
  '-0 --http1.0': flag,
  '-1 --tlsv1': flag,
  '-2 --sslv2': flag,
  '-3 --sslv3': flag,
  '-4 --ipv4': flag,
  '-6 --ipv6': flag,
  '-a --append': flag,
  '-B --use-ascii': flag,
  '-f --fail': flag,
  '-G --get': flag,
  '-g --globoff': flag,
  '-I --head': flag,
  '-i --include --show-headers': flag,
  '-J --remote-header-name': flag,
  '-j --junk-session-cookies': flag,
  '-k --insecure': flag,
  '-L --location': flag,
  '-l --list-only': flag,
  '-M --manual': flag,
  '-N --buffer --no-buffer': flag,
  '--negotiate --ntlm-wb --proxy-negotiate': pins('curl logs in with tickets of yours'),
  '--delegation --krb --krb4': pinned(inert, 'curl logs in with tickets of yours'),
  '-n --netrc --netrc-optional': pins('curl takes logins from a file of yours'),
  '-O --remote-name': flag,
  '-p --proxytunnel': flag,
  '-q --disable': flag,
  '-R --remote-time': flag,
  '-S --show-error': flag,
  '-s --silent': flag,
  '-V --version': flag,
  '-v --verbose': flag,
  '-Z --parallel': flag,
  '-: --next': flag,
  '-h --help': { ...inert, arity: 'maybe' },
  '-A --user-agent': inert,
  '-C --continue-at': inert,
  '-e --referer': inert,
  '-m --max-time': inert,
  '-P --ftp-port': inert,
  '-Q --quote': pinned(code('ftp'), 'curl --quote runs commands on the other machine'),
  '-r --range': inert,
  '-t --telnet-option': pinned(inert, 'curl speaks telnet'),
  '-X --request': inert,
  '-Y --speed-limit': inert,
  '-y --speed-time': inert,
  '-z --time-cond': inert,
  '-u --user': secret,
  '-U --proxy-user': secret,
  '--oauth2-bearer': secret,
  '--pass': secret,
  '--proxy-pass': secret,
  '--tlspassword': secret,
  '--proxy-tlspassword': secret,
  '-b --cookie': cookie,
  '-c --cookie-jar': streams(writes),
  '-D --dump-header': streams(writes),
  '-d --data --data-ascii': body,
  '--data-binary': body,
  '--json': body,
  '--data-raw': parsed((_, word) => sent('-', word)),
  '--data-urlencode': encodedBody,
  '--url-query': parsed((value, word) => {
    const file = /^[^=@+]*@(.*)$/s.exec(value)?.[1];
    return file === undefined ? {} : sent(file, word);
  }),
  '-E --cert': certificate,
  '--proxy-cert': certificate,
  '--cert-type --key-type': executes('curl can take keys from an engine that it loads', inert),
  '--proxy-cert-type --proxy-key-type': executes(
    'curl can take keys from an engine that it loads',
    inert,
  ),
  '-F --form': form,
  '-H --header': header,
  '--proxy-header': header,
  '-K --config': loads,
  '--engine': loads,
  '-o --output': inert,
  '--output-dir': inert,
  '-T --upload-file': parsed((value, word) => sent(value === '.' ? '-' : value, word)),
  '-w --write-out': writeOut,
  '--variable': variable,
  '-x --proxy': elsewhere('sends its traffic through another machine'),
  '--proxy1.0 --preproxy --socks4 --socks4a --socks5 --socks5-hostname': elsewhere(
    'sends its traffic through another machine',
  ),
  '--connect-to --resolve': elsewhere('reaches another machine than the address names'),
  '--dns-servers --doh-url': elsewhere('has another machine look names up'),
  '--unix-socket --abstract-unix-socket': pinned(reads, 'curl talks to a service of this machine'),
  '--url': inert,
  '--alt-svc': streams(edits),
  '--hsts': streams(edits),
  '--cacert --proxy-cacert --crlfile --proxy-crlfile': reads,
  '--capath --proxy-capath': reads,
  '--egd-file --random-file': reads,
  '--etag-compare': reads,
  '--etag-save': streams(writes),
  '--key': certificate,
  '--proxy-key': certificate,
  '--pubkey': reads,
  '--knownhosts': reads,
  '--netrc-file': reads,
  '--pinnedpubkey --proxy-pinnedpubkey': inert,
  '--ech': inert,
  '--libcurl': streams(writes),
  '--ssl-sessions': streams(edits),
  '--stderr': streams(writes),
  '--trace': streams(writes),
  '--trace-ascii': streams(writes),
  '--dump-ca-embed': pins('curl prints what it is built with'),
};
