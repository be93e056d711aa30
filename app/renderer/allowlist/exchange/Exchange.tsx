import { useState } from 'react';
import type { PolicyDocument } from '../../../../shared/policy/types.ts';
import { Button } from '../../primitives/Button.tsx';
import { useText } from '../../state/preferences.ts';
import { ExportDialog } from './ExportDialog.tsx';
import { ImportDialog } from './ImportDialog.tsx';
import './exchange.css';

interface ExchangeProps {
  readonly document: PolicyDocument;
  readonly agent: string;
}

/** The two buttons that bring rules in and take them out. */
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
