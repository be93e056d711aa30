import type { Catalogue } from '../en.ts';
import { plural } from '../plural.ts';

/** Regeln einlesen und ausgeben. */
export const exchange: Catalogue['exchange'] = {
  import: 'Import',
  importTitle: 'Regeln einlesen',
  importText:
    'Fügen Sie eine Regeldatei ein oder wählen Sie eine. Gesichert wird erst, was Sie gesehen haben.',
  from: 'Von',
  formats: { any: 'Beliebig', openclaw: 'OpenClaw', claude: 'Claude Code', codex: 'Codex' },
  text: 'Regeldatei',
  file: 'Datei wählen',
  placeholder: '{ "permissions": { "allow": ["Bash(git status)"] } }',
  agent: 'Für',
  asFile: 'wie in der Datei',
  folder: 'Nur in diesem Verzeichnis',
  folderHelp: 'Für die Regeldatei eines Projekts. Leer: wie in der Datei.',
  folderProblem: 'Das Verzeichnis beginnt mit /.',
  tooLong: 'Dieser Text ist zu lang für eine Regeldatei: höchstens 200.000 Zeichen.',
  reading: 'Liest',
  rules: (n) => plural(n, '1 Regel käme dazu', `${n} Regeln kämen dazu`),
  noRules: 'Keine Regel käme dazu',
  duplicates: (n) => plural(n, '1 gibt es schon', `${n} gibt es schon`),
  duplicate: 'Gibt es schon',
  take: 'Diese Regel aufnehmen',
  skipped: (n) =>
    plural(n, '1 Eintrag wird nicht übernommen', `${n} Einträge werden nicht übernommen`),
  holdsBack: 'Er hielt etwas zurück: Ohne ihn ist mehr erlaubt als zuvor.',
  more: (n) => `${n} weitere zeigen`,
  add: (n) => plural(n, '1 Regel aufnehmen', `${n} Regeln aufnehmen`),
  cancel: 'Abbrechen',
  export: 'Export',
  exportTitle: 'Regeln ausgeben',
  exportText: (agent) => `Die Regeln von ${agent} als Datei, die sich wieder einlesen lässt.`,
  exported: 'Regeln als JSON',
  select: 'Alles auswählen',
  download: 'Herunterladen',
};
