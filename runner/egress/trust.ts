import { readFileSync } from 'node:fs';
import { rootCertificates } from 'node:tls';

/** Where clients in a box find whom they trust. */
export const bundlePath = '/etc/interlock-trust.pem';

/** Variables by which tools are told whom to trust. Bun, .NET and curl of macOS read none of them. */
const caVariables = [
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'GIT_SSL_CAINFO',
  'REQUESTS_CA_BUNDLE',
  'PIP_CERT',
  'CURL_CA_BUNDLE',
  'CARGO_HTTP_CAINFO',
  'AWS_CA_BUNDLE',
  'DENO_CERT',
] as const;

/** All of them for one bundle; none for no path. */
export function trustVariables(bundle: string | null): Readonly<Record<string, string>> {
  if (bundle === null || bundle === '') return {};
  return {
    ...Object.fromEntries(caVariables.map((name) => [name, bundle])),
    // A file that somebody's npmrc names would be the only one that npm believes.
    npm_config_cafile: bundle,
  };
}

/** What tools are told to go through the proxy by, in both cases: some read only one of them. */
export function proxyVariables(port: number): Readonly<Record<string, string>> {
  const proxy = `http://127.0.0.1:${String(port)}`;
  const near = 'localhost,127.0.0.1,::1';
  const pairs = [
    ['http_proxy', proxy],
    ['https_proxy', proxy],
    ['all_proxy', proxy],
    ['ws_proxy', proxy],
    ['wss_proxy', proxy],
    ['no_proxy', near],
  ] as const;
  return {
    ...Object.fromEntries(
      pairs.flatMap(([name, value]) => [
        [name, value],
        [name.toUpperCase(), value],
      ]),
    ),
    NODE_USE_ENV_PROXY: '1',
    npm_config_proxy: proxy,
    npm_config_https_proxy: proxy,
  };
}

/** Where systems keep whom they trust. */
const systemBundles = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/ssl/cert.pem',
];

export interface HostTrust {
  /** `NODE_EXTRA_CA_CERTS` of the runner, where it is set. */
  readonly extra?: string | undefined;
  /** Files in which the system's certificates may be; the first that holds any counts. */
  readonly bundles?: readonly string[];
}

/** Whom this machine trusts, PEM, each once: the system's own, and the extra ones. A missing file is no error. */
export function hostRoots({ extra, bundles = systemBundles }: HostTrust): readonly string[] {
  const system = bundles.map(certificatesIn).find((found) => found.length > 0) ?? rootCertificates;
  const more = extra === undefined || extra === '' ? [] : certificatesIn(extra);
  return [...new Set([...system, ...more].map((pem) => pem.trim()))];
}

/**
 * The bundle that clients in a box trust: the proxy's authority and whom the host trusts. The same
 * every time it is made from the same.
 */
export function bundleOf(authority: string, roots: readonly string[]): string {
  const all = [authority.trim(), ...roots.map((pem) => pem.trim())];
  return `${[...new Set(all)].join('\n')}\n`;
}

function certificatesIn(path: string): readonly string[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return [];
  }
  return text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/gu) ?? [];
}
