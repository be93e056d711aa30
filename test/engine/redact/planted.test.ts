import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redactRow } from '../../../runner/audit/rows.ts';
import { redact } from '../../../shared/engine/redact/redact.ts';
import { decision } from '../../runner/audit/support.ts';

/** Words of a command in which a secret stands; `text` where only the shell text has the shape. */
type Carrier = (secret: string) => readonly string[];

const carriers: Readonly<Record<string, Carrier>> = {
  'an option and its value': (s) => ['deploy', '--password', s, '--verbose'],
  'an option with an equals sign': (s) => ['deploy', `--api-key=${s}`, 'now'],
  'a prefixed option': (s) => ['tool', '--github-token', s],
  'a single-dash option': (s) => ['keytool', '-storepass', s],
  'a variable for env': (s) => ['env', `DB_PASSWORD=${s}`, 'make'],
  'a variable for a container': (s) => ['docker', 'run', '-e', `API_TOKEN_2=${s}`, 'image'],
  'a framework’s key': (s) => ['env', `SECRET_KEY_BASE=${s}`, 'rails', 's'],
  'a signing key': (s) => ['env', `SIGNING_KEY=${s}`, 'make'],
  'a bearer header': (s) => ['curl', '-H', `Authorization: Bearer ${s}`, 'https://x.example'],
  'a header in the same word': (s) => ['curl', `-HAuthorization: Basic ${s}`, 'https://x.example'],
  'a key header': (s) => ['curl', '--header', `X-Api-Key: ${s}`, 'https://x.example'],
  'a cookie': (s) => ['curl', '-H', `Cookie: a=b; session=${s}`, 'https://x.example'],
  'a JSON body': (s) => ['curl', '-d', `{"client_secret": "${s}", "a": 1}`, 'https://x.example'],
  'an escaped JSON body': (s) => ['sh', '-c', String.raw`curl -d "{\"password\":\"${s}\"}" x`],
  'curl’s user': (s) => ['curl', '-u', `me:${s}`, 'https://x.example'],
  'curl’s user with equals': (s) => ['curl', `--user=me:${s}`, 'https://x.example'],
  'a mysql password': (s) => ['/usr/bin/mysql', '-u', 'root', `-p${s}`, 'app'],
  sshpass: (s) => ['sshpass', '-p', s, 'ssh', 'host'],
  'a registry login': (s) => ['docker', 'login', '-u', 'me', '-p', s, 'registry.example'],
  redis: (s) => ['redis-cli', '-h', 'cache', '-a', s, 'ping'],
  'a key’s passphrase': (s) => ['ssh-keygen', '-f', 'key', '-N', s],
  openssl: (s) => ['openssl', 'rsa', '-in', 'k.pem', '-passin', `pass:${s}`],
  'a private key': (s) => [
    'echo',
    `-----BEGIN RSA PRIVATE KEY-----\nDEK-Info: AES-128-CBC,00\n\n${s}\n-----END RSA PRIVATE KEY-----`,
  ],
};

/** Those in which a secret has no blanks and no signs of its own, as in addresses. */
const plainCarriers: Readonly<Record<string, Carrier>> = {
  ...carriers,
  'a URL with a password': (s) => ['git', 'clone', `https://me:${s}@git.example/r.git`],
  'a URL with a token': (s) => ['git', 'clone', `https://${s}aaaaaaaaaaaa@git.example/r.git`],
  'a database URL': (s) => ['psql', `postgres://app:${s}@db.example/app`],
  'a query parameter': (s) => ['curl', `https://x.example/?a=1&access_token=${s}&b=2`],
  'a signed URL': (s) => ['curl', `https://x.example/f?X-Amz-Signature=${s}&b=2`],
  'a YAML member': (s) => ['printf', `user: me\npassword: ${s}\n`],
};

const single = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
const double = (text: string): string => `"${text.replaceAll(/["\\$`]/gu, String.raw`\$&`)}"`;
const bare = (text: string): string => (/^[\w@%+=:,./-]+$/u.test(text) ? text : single(text));

const renderings: Readonly<Record<string, (words: readonly string[]) => string>> = {
  'as the canonical form has it': (words) => words.map(single).join(' '),
  'in double quotes': (words) => words.map(double).join(' '),
  'quoted where needed': (words) => words.map(bare).join(' '),
  'behind another command': (words) => `cd /srv && ${words.map(bare).join(' ')} | tee log`,
};

const plainSecret = fc
  .stringMatching(/^[A-Za-z0-9][A-Za-z0-9_+.]{10,30}[A-Za-z0-9]$/u)
  .filter((secret) => /\d/u.test(secret) && /[A-Za-z]/u.test(secret));
/** Two words with signs between them that mean something to a shell. */
const wildSecret = fc
  .tuple(
    plainSecret,
    fc.constantFrom(' ', '!', '&', "'", ' & ', ';', '$', '(', '#', '  ', '*'),
    plainSecret,
  )
  .map((parts) => parts.join(''));

/** The longest part that would help a thief. */
const partsOf = (secret: string): readonly string[] =>
  secret.split(/[^\w+.]+/u).filter((part) => part.length > 5);

function leaks(text: string, secret: string): readonly string[] {
  return partsOf(secret).filter((part) => text.includes(part));
}

const cases = (from: Readonly<Record<string, Carrier>>) =>
  Object.entries(from).flatMap(([name, carrier]) =>
    Object.entries(renderings).map(([how, render]) => [name, how, carrier, render] as const),
  );

describe('a secret planted', () => {
  it.each(cases(plainCarriers))('in %s, %s, is not kept', (_name, _how, carrier, render) => {
    fc.assert(
      fc.property(plainSecret, (secret) => {
        const text = render([...carrier(secret), 'last-word']);
        const redacted = redact(text);
        expect([text, leaks(redacted, secret)]).toEqual([text, []]);
        expect([text, redacted]).toEqual([text, expect.stringContaining('last-word')]);
      }),
      { numRuns: 40 },
    );
  });

  it.each(cases(carriers))(
    'with blanks and signs in %s, %s, is not kept',
    (_n, _h, carrier, render) => {
      fc.assert(
        fc.property(wildSecret, (secret) => {
          const text = render(carrier(secret));
          expect([text, leaks(redact(text), secret)]).toEqual([text, []]);
        }),
        { numRuns: 40 },
      );
    },
  );

  it('is not kept when the text was cut anywhere in it', () => {
    const all = Object.values(plainCarriers);
    fc.assert(
      fc.property(
        fc.constantFrom(...all),
        fc.constantFrom(...Object.values(renderings)),
        plainSecret,
        fc.nat(30),
        (carrier, render, secret, kept) => {
          const whole = render(carrier(secret));
          const at = whole.indexOf(secret) + Math.min(kept, secret.length);
          const text = `${whole.slice(0, at)}… (truncated)`;
          const shown = secret.slice(0, Math.min(kept, secret.length));
          expect([text, shown.length > 5 && redact(text).includes(shown)]).toEqual([text, false]);
        },
      ),
      { numRuns: 600 },
    );
  });

  it('is in no field of a row', () => {
    const fields = ['agent', 'session', 'cwd', 'command', 'canonical', 'reason'] as const;
    fc.assert(
      fc.property(
        fc.constantFrom(...fields),
        fc.constantFrom(...cases(plainCarriers)),
        plainSecret,
        (field, [, , carrier, render], secret) => {
          const row = redactRow(decision('id', { [field]: render(carrier(secret)) }));
          expect(leaks(JSON.stringify(row), secret)).toEqual([]);
          const note = { type: 'note', at: 0, code: 'x', text: render(carrier(secret)) } as const;
          expect(leaks(JSON.stringify(redactRow(note)), secret)).toEqual([]);
        },
      ),
      { numRuns: 400 },
    );
  });

  it('is gone after one pass: a second changes nothing', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...cases(carriers)),
        wildSecret,
        ([, , carrier, render], secret) => {
          const once = redact(render(carrier(secret)));
          expect(redact(once)).toBe(once);
        },
      ),
      { numRuns: 300 },
    );
  });
});

const kept = [
  "'/usr/bin/git' 'commit' '-m' 'Fix token refresh'",
  "'/usr/bin/grep' '-rn' 'password' 'src'",
  "'/usr/bin/docker' 'run' '-p' '8080:80' 'nginx'",
  "'/usr/bin/mkdir' '-p' 'a/b'",
  "'/usr/bin/mysql' '-u' 'root' '-p' 'app'",
  "'/usr/bin/ssh' '-p' '2222' 'host'",
  'env PUBLIC_KEY=abc make',
  'curl "https://x.example/list?page=2&sort=name"',
  'git clone https://github.com/org/repo.git',
  'git log --author="Me" --since=yesterday | head -5',
  'docker login registry.example --password-stdin',
  'npm run auth -- --watch',
  'kubectl get secret -n prod',
  'tar -xzf token.tar.gz && ls -la',
  'python3 -c "print(1)"',
];

describe('what is no secret', () => {
  it.each(kept)('stays: %s', (line) => expect(redact(line)).toBe(line));
});
