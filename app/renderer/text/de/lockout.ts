import type { Catalogue } from '../en.ts';
import { plural } from '../plural.ts';

export const lockout: Catalogue['lockout'] = {
  button: 'Sperren',
  title: 'Alles anhalten und sofort jede Anfrage ablehnen',
  reason: 'Sperre aus der Freigabe-App',
  locked: 'Alles ist gesperrt',
  text: 'Jede Anfrage jedes Agenten wird abgelehnt. Das gilt auch nach einem Neustart.',
  because: 'Grund',
  did: 'Was die Sperre getan hat',
  stopped: (n) =>
    plural(n, '1 laufender Befehl wurde beendet', `${n} laufende Befehle wurden beendet`),
  noneStopped: 'Kein Befehl lief',
  rotated: (n) => plural(n, '1 Schlüssel wurde ersetzt', `${n} Schlüssel wurden ersetzt`),
  noneRotated: 'Kein Schlüssel musste ersetzt werden',
  withdrawn: (n) =>
    n === undefined
      ? 'Jede offene Anfrage wurde abgelehnt'
      : n === 0
        ? 'Keine Anfrage war offen'
        : plural(n, '1 offene Anfrage wurde abgelehnt', `${n} offene Anfragen wurden abgelehnt`),
  token: 'Das Zugangs-Token der Freigaben ist neu',
  left: (n) =>
    plural(n, '1 Prozess ließ sich nicht beenden', `${n} Prozesse ließen sich nicht beenden`),
  holding: 'Weiter halten',
  unlocking: 'Entsperrt',
  noRunner: 'Kein Runner antwortete. Die Sperre gilt, auch für einen, der erst startet',
  wayOut: 'Der Weg zurück',
  wayOutText:
    'Klären Sie zuerst, was geschehen ist. Dann tippen Sie die Passphrase und halten den Knopf.',
  passphrase: 'Passphrase',
  hold: 'Halten, um zu entsperren',
};
