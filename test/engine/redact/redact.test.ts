import { describe, expect, it } from 'vitest';
import { redact } from '../../../shared/engine/redact/redact.ts';

const secret = 'hunter2S3cretValue0';

const leaking: readonly (readonly [string, string])[] = [
  ['an option with a value', `deploy --password ${secret} --verbose`],
  ['an option with an equals sign', `deploy --api-key=${secret}`],
  ['a prefixed option', `tool --github-token ${secret}`],
  ['a single-dash option', `keytool -storepass ${secret}`],
  ['a variable before the command', `AWS_SECRET_ACCESS_KEY=${secret} aws s3 ls`],
  ['an exported variable', `export DB_PASSWORD='${secret} with blank'`],
  ['a numbered variable', `API_TOKEN_2=${secret} make`],
  ['a bearer header', `curl -H 'Authorization: Bearer ${secret}' https://x.example`],
  ['a basic header', `curl -H "Authorization: Basic ${secret}" https://x.example`],
  ['a key header', `curl -H 'X-Api-Key: ${secret}' https://x.example`],
  ['a cookie', `curl -H 'Cookie: session=${secret}; a=b' https://x.example`],
  ['a URL with a password', `git clone https://me:${secret}@git.example/r.git`],
  ['a database URL', `psql postgres://app:${secret}@db.example/app`],
  ['curl -u', `curl -u me:${secret} https://x.example`],
  ['curl --user=', `curl --user=me:${secret} https://x.example`],
  ['mysql -p', `mysql -u root -p${secret} app`],
  ['sshpass', `sshpass -p ${secret} ssh host`],
  ['JSON', `curl -d '{"client_secret": "${secret}"}' https://x.example`],
  ['a quoted value', `tool --token "${secret} two"`],
  [
    'a PEM block',
    `echo '-----BEGIN RSA PRIVATE KEY-----\n${secret}\n-----END RSA PRIVATE KEY-----'`,
  ],
];

const tokens = [
  'ghp_abcdefghijklmnopqrstuvwxyz0123456789',
  'github_pat_11ABCDEFG0123456789_abcdefghij',
  'glpat-abcdefghijklmnopqrst',
  'sk-proj-abcdefghijklmnopqrstuv',
  'xoxb-123456789012-abcdefghij',
  'AKIAIOSFODNN7EXAMPLE',
  'npm_abcdefghijklmnopqrstuvwxyz0123456789',
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcdefghijklmno',
];

const harmless = [
  'git commit -m "Fix token refresh"',
  'grep -rn password src',
  'rm -rf build',
  'curl https://example.com/path?x=1',
  'docker run -p 8080:80 nginx',
  'ssh -p 2222 host',
  'npm test -- --grep "auth flow"',
  'mkdir -p a/b',
  'mysql -u root -p app',
  'ls -la ~/.ssh',
  'cat secrets.md',
];

describe('redaction', () => {
  it.each(leaking)('hides the secret in %s', (_name, line) => {
    expect(redact(line)).not.toContain(secret);
  });

  it.each(tokens)('hides the well-known token %s', (token) => {
    expect(redact(`echo ${token} | tee x`)).toBe('echo [redacted] | tee x');
  });

  it.each(harmless)('leaves %s as it is', (line) => {
    expect(redact(line)).toBe(line);
  });

  it('keeps the words around a secret', () => {
    expect(redact(`deploy --password ${secret} --verbose`)).toBe(
      'deploy --password [redacted] --verbose',
    );
    expect(redact(`git clone https://me:${secret}@git.example/r.git`)).toBe(
      'git clone https://me:[redacted]@git.example/r.git',
    );
  });

  it.each(leaking)('changes nothing more when it is done twice: %s', (_name, line) => {
    expect(redact(redact(line))).toBe(redact(line));
  });

  it('comes to an end on long hostile text', () => {
    for (const piece of ['-', 'password', '--token', 'a:', '"', "'", '://', ' -p', 'eyJ.', '\\']) {
      const text = piece.repeat(60_000 / piece.length);
      expect(redact(text).length).toBeGreaterThan(0);
    }
  });
});
