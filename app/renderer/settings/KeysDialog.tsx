import { keyBindings } from '../../bridge/keys.ts';
import type { KeyAction } from '../../bridge/keys.ts';
import { Key } from '../primitives/Button.tsx';
import { Dialog } from '../primitives/Dialog.tsx';
import { useText } from '../state/preferences.ts';
import type { Catalogue } from '../text/en.ts';
import './settings.css';

/** What a key does, in the language of the page. */
function keyWord(action: KeyAction, text: Catalogue): string {
  switch (action.type) {
    case 'deny':
      return text.prompt.deny;
    case 'never':
      return text.settings.never;
    case 'allow-once':
      return text.prompt.allowOnce;
    case 'remember':
      return text.settings.remember;
    case 'widen':
      return text.prompt.wider;
    case 'everyone':
      return text.prompt.whom;
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

/** All keys of the prompt; they are the same on every surface. */
export function KeysDialog({ onClose }: { readonly onClose: () => void }) {
  const text = useText();
  return (
    <Dialog title={text.settings.keys} onClose={onClose}>
      <dl className="keys">
        {keyBindings.map(({ action, keys }) => (
          <div key={keys.join()} className="keys-row">
            <dt>{keyWord(action, text)}</dt>
            <dd>
              {keys.map((key) => (
                <Key key={key} name={text.settings.keyNames[key] ?? key} />
              ))}
              <span className="visually-hidden">{keys.join(', ')}</span>
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
