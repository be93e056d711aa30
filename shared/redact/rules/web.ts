import type { RedactionRule } from '../types.ts';
import { notDone, word } from './shapes.ts';

const header = String.raw`(?:(?:proxy-)?authorization|x-[a-z-]{0,40}(?:key|token|secret)|api-?key|cookie|set-cookie|private-token)`;

/** Secrets in addresses and headers. */
export const webRules: readonly RedactionRule[] = [
  {
    name: 'url-password',
    pattern: /(?<keep>\b[a-z][a-z0-9+.-]{1,30}:\/\/[^\s/:@'"]{0,200}:)[^\s/@'"]{1,400}(?<rest>@)/gi,
    why: 'A password before the host of a URL.',
  },
  {
    name: 'url-token',
    pattern: /(?<keep>\bhttps?:\/\/)[\w.+~-]{20,400}(?<rest>@)/gi,
    why: 'A token in place of the user of a URL.',
  },
  {
    name: 'signed-url',
    pattern:
      /(?<keep>[?&](?:X-Amz-(?:Signature|Credential|Security-Token)|X-Goog-(?:Signature|Credential)|sig|signature|key|code)=)[^&\s'"#]{1,4000}/gi,
    why: 'Whoever has a signed address has what it opens.',
  },
  {
    name: 'quoted-header',
    pattern: new RegExp(
      String.raw`(?<keep>(?<=(?<quote>['"])(?:-H|--header[= ])?)${header}:\s{0,8})(?:'\\''|\\[^]|(?!\k<quote>)[^\\\n])+`,
      'gi',
    ),
    why: 'Credentials, keys and sessions in HTTP headers.',
  },
  {
    name: 'header',
    pattern: new RegExp(
      String.raw`(?<keep>(?<![\w-])${header}:(?:\s|\\\s){0,8}(?:(?:bearer|basic|token|digest)(?:\s|\\\s){1,8})?)${notDone}${word}`,
      'gi',
    ),
    why: 'The same without quotes.',
  },
];
