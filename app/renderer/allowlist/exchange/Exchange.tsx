import { useRef, useState } from 'react';
import { displayPlain } from '../../../../shared/base/index.ts';
import type { PolicyDocument } from '../../../../shared/engine/index.ts';
import { Button } from '../../primitives/Button.tsx';
import { Dialog } from '../../primitives/Dialog.tsx';
import { useText } from '../../state/preferences.ts';
import { ImportDialog } from './ImportDialog.tsx';
import './exchange.css';
import { exportName, exportedRules } from './exchange.ts';

interface ExportDialogProps {
  readonly document: PolicyDocument;
  readonly agent: string;
  readonly onClose: () => void;
}

/** The rules of one agent to copy or, in a browser, to download. The menu-bar app writes no files. */
function ExportDialog({ document, agent, onClose }: ExportDialogProps) {
  const { exchange, rules } = useText();
  const field = useRef<HTMLTextAreaElement>(null);
  const json = exportedRules(document, agent);
  const download = (): void => {
    const address = URL.createObjectURL(new Blob([json], { type: 'application/json' }));
    const link = window.document.createElement('a');
    link.href = address;
    link.download = exportName(agent);
    link.click();
    URL.revokeObjectURL(address);
  };
  return (
    <Dialog title={exchange.exportTitle} onClose={onClose}>
      <p className="quiet">
        {exchange.exportText(agent === '*' ? rules.everyone : displayPlain(agent))}
      </p>
      <textarea
        ref={field}
        className="input mono exchange-text"
        aria-label={exchange.exported}
        readOnly
        rows={10}
        value={json}
      />
      <div className="dialog-actions">
        <Button onClick={() => field.current?.select()}>{exchange.select}</Button>
        {window.interlock === undefined && (
          <Button look="solid" onClick={download}>
            {exchange.download}
          </Button>
        )}
      </div>
    </Dialog>
  );
}

interface ExchangeProps {
  readonly document: PolicyDocument;
  readonly agent: string;
}

/** The buttons for importing and exporting rules. */
export function Exchange({ document, agent }: ExchangeProps) {
  const { exchange } = useText();
  const [open, setOpen] = useState<'import' | 'export' | null>(null);
  const close = (): void => setOpen(null);
  return (
    <>
      <Button look="plain" onClick={() => setOpen('import')}>
        {exchange.import}
      </Button>
      <Button look="plain" onClick={() => setOpen('export')}>
        {exchange.export}
      </Button>
      {open === 'import' && <ImportDialog agent={agent} onClose={close} />}
      {open === 'export' && <ExportDialog document={document} agent={agent} onClose={close} />}
    </>
  );
}
