import { plural } from './format.ts';
import type { Catalogue } from './en.ts';

/** What a command changed, and what became of taking it back. */
export const changes: Catalogue['changes'] = {
  planted: (n: number) => plural(n, '1 Datei wirkt später', `${n} Dateien wirken später`),
  plantedText:
    'Diese Dateien steuern oder starten später etwas auf diesem Rechner, außerhalb der Sandbox. Sehen Sie sich diese zuerst an:',
  notesText: 'Nicht aus der Sandbox übernommen, oder beiseite gelegt:',
  notes: (n: number) => plural(n, '1 Sache zurückgehalten', `${n} Sachen zurückgehalten`),
  nothingKept: 'Davon lässt sich nichts zurücknehmen.',
  title: 'Was er geändert hat',
  changed: (n) => plural(n, '1 Änderung', `${n} Änderungen`),
  looking: 'Die Änderungen werden gelesen',
  what: { added: 'Neu', changed: 'Geändert', removed: 'Entfernt' },
  takeBack: 'Zurücknehmen',
  takeAllBack: 'Alles zurücknehmen',
  bringAgain: 'Wiederherstellen',
  notKept: 'Nicht aufbewahrt',
  shared: 'Zugleich lief ein anderer Befehl: Einer von beiden war es.',
  cutOff: 'Der Runner endete vor diesem Befehl: Auch Späteres kann darunter sein.',
  more: (n) => plural(n, 'Und 1 weitere.', `Und ${n} weitere.`),
  left: (n) => plural(n, '1 Pfad blieb, wie er ist.', `${n} Pfade blieben, wie sie sind.`),
  results: {
    'taken-back': 'Zurückgenommen',
    already: 'Schon wie zuvor',
    newer: 'Geblieben: seither wieder geändert',
    'not-kept': 'Geblieben: der Inhalt ist nicht aufbewahrt',
    damaged: 'Geblieben: das Aufbewahrte ist beschädigt',
    unsafe: 'Geblieben: der Ordner ist weg oder ausgetauscht',
    failed: 'Geblieben: nicht zu schreiben',
  },
};
