import type { RedactionRule } from '../types.ts';
import { valueAfter } from './shapes.ts';

/** An option whose name says nothing, and the programs that it tells a secret to. */
export interface ProgramOption {
  /** Alternatives of a regular expression. */
  readonly programs: string;
  readonly option: string;
  readonly takes: 'same-word' | 'either';
  readonly why: string;
}

/** Found command by command, by `redactOptions`. */
export const programOptions: readonly ProgramOption[] = [
  {
    programs: 'mysql|mysqldump|mysqladmin|mysqlimport|mariadb|mariadb-dump|mariadb-admin',
    option: '-p',
    takes: 'same-word',
    why: 'mysql -pPASSWORD takes the password without a blank.',
  },
  { programs: '7z|7za|7zr', option: '-p', takes: 'same-word', why: '7z -pPASSWORD.' },
  { programs: 'sshpass', option: '-p', takes: 'either', why: 'sshpass -p PASSWORD.' },
  {
    programs: '(?:docker|podman|helm|oc|skopeo|buildah|az|registry)\\b[^;&|\\n]{0,60}?\\blogin',
    option: '-p',
    takes: 'either',
    why: 'docker login -p PASSWORD.',
  },
  { programs: 'redis-cli', option: '-a', takes: 'either', why: 'redis-cli -a PASSWORD.' },
  { programs: 'zip|unzip', option: '-P', takes: 'either', why: 'zip -P PASSWORD.' },
  { programs: 'ssh-keygen', option: '-[NP]', takes: 'either', why: 'ssh-keygen -N PASSPHRASE.' },
  { programs: 'mongo|mongosh|mongodump', option: '-p', takes: 'either', why: 'mongo -p PASSWORD.' },
];

/** `user:password` after these is split at the colon; only the password is secret. */
const userOption = String.raw`(?<![^\s'"])(?:-u|--user|--proxy-user)['"]?\s{0,8}`;

/** Secrets at places that only the program knows. */
export const programRules: readonly RedactionRule[] = [
  ...[
    ...valueAfter(String.raw`(?:--user|--proxy-user)=[^\s:'"]{1,200}:`),
    ...valueAfter(String.raw`[^\s:'"]{1,200}:`, { before: `${userOption}['"]?` }),
  ].map((pattern) => ({ name: 'user-password', pattern, why: 'curl -u user:password.' })),
  ...valueAfter('pass:').map((pattern) => ({
    name: 'openssl-password',
    pattern,
    why: 'openssl -passin pass:PASSWORD.',
  })),
];
