import { create } from 'zustand';
import type { BridgeCalls } from '../../bridge/types.ts';
import { Button } from '../primitives/Button.tsx';
import type { ButtonProps } from '../primitives/Button.tsx';
import { callOrShow, useApp } from '../state/app.ts';
import { useText } from '../state/preferences.ts';
import './passkeys.css';

type Errand = BridgeCalls['openInBrowser']['args'];

/** The last thing that the person went to their browser for, and where the page is there. */
const useTrip = create<{ readonly errand: Errand | null; readonly address: string }>()(() => ({
  errand: null,
  address: '',
}));

/** Whether this window of the menu-bar app can show its page in the person's browser. */
export function useCanOpenBrowser(): boolean {
  const able = useApp(({ state }) => state?.canOpenBrowser === true);
  return able && window.interlock !== undefined;
}

/** Shows the page in the person's browser, and there what they go for. What went wrong is shown. */
export async function goToBrowser(errand: Errand): Promise<void> {
  const opened = await callOrShow('openInBrowser', errand);
  useTrip.setState(opened === null ? { errand: null } : { errand, address: opened.address });
}

interface InBrowserProps {
  readonly errand: Errand;
  readonly label: string;
  readonly look?: NonNullable<ButtonProps['look']>;
  readonly shortcut?: string;
  readonly disabled?: boolean;
}

/** What takes a passkey, from a window that can use none: a click leads to the browser. */
export function InBrowser({ errand, label, look, shortcut, disabled = false }: InBrowserProps) {
  const { passkeys: words } = useText();
  const trip = useTrip();
  const isThere = trip.errand?.errand === errand.errand && trip.errand.id === errand.id;
  return (
    <div className="in-browser">
      <Button
        {...(look !== undefined && { look })}
        {...(shortcut !== undefined && { shortcut })}
        disabled={disabled}
        title={words.whyBrowser}
        onClick={() => void goToBrowser(errand)}
      >
        {label}
      </Button>
      {isThere && (
        <p className="field-help" role="status">
          {words.inBrowser}{' '}
          {errand.errand === 'passkeys' ? (
            <>
              {words.linkBy} <code className="mono">interlock ui</code>
            </>
          ) : (
            <>
              {words.notOpened} <code className="mono">{trip.address}</code>
            </>
          )}
        </p>
      )}
    </div>
  );
}
