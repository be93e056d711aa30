import { useLayoutEffect, useRef } from 'react';
import type { ReactNode } from 'react';
import { useText } from '../state/preferences.ts';
import { Button } from './Button.tsx';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A modal dialog on the native element: it traps focus, takes Escape, and gives focus back. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const text = useText();
  const dialog = useRef<HTMLDialogElement>(null);
  // Closed while it is still in the page: only then does the browser give the focus back.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      className="dialog"
      aria-labelledby="dialog-title"
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <div className="dialog-body">
        <header className="dialog-head">
          <h2 id="dialog-title">{title}</h2>
          <Button look="plain" icon="close" aria-label={text.shell.close} onClick={onClose} />
        </header>
        {children}
      </div>
    </dialog>
  );
}
