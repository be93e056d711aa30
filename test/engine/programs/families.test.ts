import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { judge, secretOptions } from '../../../shared/engine/programs/judge.ts';
import { readArguments } from '../../../shared/engine/programs/read.ts';
import type { Argument } from '../../../shared/engine/programs/types.ts';
import { known } from './support/read.ts';

/** Words at blanks; quotes keep blanks, and a pattern outside of them is live. */
function wordsOf(line: string): readonly Argument[] {
  return [...line.matchAll(/(?:'[^']*'|[^\s'])+/g)].map(([raw]) => ({
    text: raw.replaceAll("'", ''),
    live: /[*?]/.test(raw.replaceAll(/'[^']*'/g, '')) ? 'pattern' : null,
  }));
}

function judged(line: string): ReturnType<typeof judge> {
  const [name, ...args] = wordsOf(line);
  return judge(readArguments(known(name?.text ?? ''), args));
}

/** Lines of a fixture by the family that stands in brackets above them. */
function families(name: string): readonly (readonly [family: string, line: string])[] {
  const text = readFileSync(
    new URL(`../../fixtures/programs/${name}.txt`, import.meta.url),
    'utf8',
  );
  let family = '';
  return text.split('\n').flatMap((line) => {
    if (line === '' || line.startsWith('#')) return [];
    const title = /^\[(\w+)\]$/.exec(line)?.[1];
    if (title !== undefined) family = title;
    return title === undefined ? [[family, line.replaceAll('\\n', '\n')] as const] : [];
  });
}

describe('programs that can do harm', () => {
  it.each(families('hostile'))('%s: does not leave open: %s', (_family, line) => {
    expect(judged(line).trust.level).not.toBe('open');
  });
});

describe('everyday lines', () => {
  it.each(families('harmless'))('%s: leaves open but for its command: %s', (_family, line) => {
    const { trust } = judged(line);
    const words = trust.level === 'spelled' ? trust.words : trust.level === 'open' ? [] : null;
    expect(words?.every((word) => word < 2)).toBe(true);
  });
});

describe('what the records tell', () => {
  it.each([
    ['gh repo delete a/b', 'data-loss'],
    ['gh api -X DELETE /x', 'data-loss'],
    ['aws s3 rm --recursive s3://a', 'data-loss'],
    ['docker run -v /:/host alpine id', 'privilege'],
    ['docker run --mount type=bind,src=/,dst=/x alpine id', 'privilege'],
    ['docker run --privileged alpine id', 'privilege'],
    ['docker volume prune', 'recursive-delete'],
    ['docker compose down -v', 'recursive-delete'],
    ['kubectl delete ns x', 'data-loss'],
    ["psql -c 'drop database x'", 'data-loss'],
    ['sudo id', 'privilege'],
    ['chmod u+s f', 'privilege'],
    ['wipefs /dev/sda', 'disk-write'],
    ['scp a h:b', 'data-leaving'],
    ['nc -e sh h 1', 'data-leaving'],
    ['interlock approvals allow x', 'privilege'],
    ['pkill -u me', 'stops-programs'],
    ['crontab f', 'persistence'],
  ])('%s is a risk of %s', (line, code) => {
    expect(
      judged(line)
        .risks.filter(({ level }) => level === 'high')
        .map((one) => one.code),
    ).toContain(code);
  });

  it.each([
    ['mysql', '-p'],
    ['7z', '-p'],
    ['sshpass', '-p'],
    ['docker', '-p'],
    ['redis-cli', '-a'],
    ['unzip', '-P'],
    ['ssh-keygen', '-N'],
    ['wget', '--password'],
  ])('%s %s is secret', (name, option) => {
    expect(secretOptions(known(name))).toContain(option);
  });
});
