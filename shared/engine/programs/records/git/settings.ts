import { parsed, risk } from '../../forms.ts';
import { whyStarts } from '../../repository/settings.ts';
import type { Effect, Use } from '../../types.ts';

/** Settings whose value is a place that git takes code or settings from, not a command. */
const places = /^(?:core\.(?:hookspath|worktree)|init\.templatedir|include(?:if)?\.)|path$/;

/** Why `section.name=value` makes git start something; words that complete "KEY, which …". */
export function whySettingStarts(text: string): string | null {
  const at = text.indexOf('=');
  const written = at === -1 ? text : text.slice(0, at);
  // Without a value a setting is true.
  const value = at === -1 ? 'true' : text.slice(at + 1);
  const dot = written.indexOf('.');
  const last = written.lastIndexOf('.');
  const key =
    written.slice(0, dot).toLowerCase() +
    written.slice(dot, last) +
    written.slice(last).toLowerCase();
  if (key.startsWith('alias.') && value.startsWith('!')) return 'holds a command that git runs';
  return whyStarts({ key: dot === -1 ? written.toLowerCase() : key, value });
}

/** The value of `git -c`: what it starts is carried, and told on a prompt. */
export const settingValue: Use = parsed((text, word) => {
  const why = whySettingStarts(text);
  const [key = ''] = text.split('=', 1);
  if (why === null) return {};
  const value = text.slice(key.length + 1).replace(/^!/, '');
  const isPlace = places.test(key.toLowerCase());
  const effect: Effect = isPlace
    ? { kind: 'loads', path: value, why: `git takes ${key} from -c`, word }
    : { kind: 'shell', text: value, why: `git starts what ${key} names`, word };
  return {
    effects: [effect],
    risks: [risk('inline-code', 'high', `Sets ${key}, which ${why}.`, [word])],
  };
});
