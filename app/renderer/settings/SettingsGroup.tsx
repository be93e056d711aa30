import type { ReactNode } from 'react';

interface SettingsGroupProps {
  readonly title: string;
  /** Beside the title. */
  readonly mark?: ReactNode;
  /** Rows of it. */
  readonly children: ReactNode;
}

/** Rows of the settings under one title. */
export function SettingsGroup({ title, mark, children }: SettingsGroupProps) {
  return (
    <section className="settings-group" aria-label={title}>
      <header className="settings-head">
        <h3>{title}</h3>
        {mark}
      </header>
      <div className="settings-rows">{children}</div>
    </section>
  );
}
