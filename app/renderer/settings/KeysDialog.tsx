import { keyBindings } from '../../bridge/keys.ts';
import { Key } from '../primitives/Button.tsx';
import { Dialog } from '../primitives/Dialog.tsx';
import { useText } from '../state/preferences.ts';
import { keyWord } from './key-word.ts';
import './settings.css';

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
