import type { KeyAction } from '../../bridge/keys.ts';
import type { Catalogue } from '../text/en.ts';

/** What a key does, in the language of the page. */
export function keyWord(action: KeyAction, text: Catalogue): string {
  switch (action.type) {
    case 'deny':
      return text.prompt.deny;
    case 'allow-once':
      return text.prompt.allowOnce;
    case 'remember':
      return text.settings.remember;
    case 'note':
      return text.prompt.note;
    case 'next':
      return text.settings.next;
    case 'previous':
      return text.settings.previous;
    case 'duration':
      return `${text.prompt.duration}: ${text.prompt.durations[action.duration]}`;
    case 'lockout':
      return text.lockout.button;
    case 'help':
      return text.settings.keys;
    default:
      return action satisfies never;
  }
}
