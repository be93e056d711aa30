import type { Catalogue } from './en.ts';
import { plural } from './format.ts';

/** Der Verlauf. */
export const history: Catalogue['history'] = {
  title: 'Verlauf',
  search: 'Befehle durchsuchen',
  agent: 'Agent',
  passkey: 'Passkey',
  answers: { yes: 'Ja gesagt', no: 'Nein gesagt' },
  places: { app: 'in der App', terminal: 'an einem Terminal', gateway: 'am Gateway' },
  signed: (person, passkey) => `${person ?? 'der Eigentümer'}, mit dem Passkey „${passkey}“`,
  advisor: 'Ratgeber',
  decision: 'Entscheidung',
  everyAgent: 'Alle Agenten',
  any: 'Alle',
  allowed: 'Erlaubt',
  denied: 'Abgelehnt',
  by: {
    policy: 'durch Regeln',
    person: 'durch Sie',
    fallback: 'ersatzweise',
    advisor: 'durch einen Ratgeber',
  },
  who: 'Wer entschied',
  everybody: 'Alle',
  when: 'Wann',
  periods: {
    any: 'Jederzeit',
    hour: 'Letzte Stunde',
    day: 'Letzte 24 Stunden',
    week: 'Letzte 7 Tage',
    month: 'Letzte 30 Tage',
  },
  one: 'Eine Entscheidung',
  copy: 'Befehl kopieren',
  copied: 'Kopiert',
  directory: 'In',
  session: 'Sitzung',
  at: 'Um',
  exit: (code) => `Status ${code}`,
  inSandbox: 'in der Sandbox',
  trust: (level: string) => `galt als „${level}“, nicht als Besitzer`,
  total: (n, more) =>
    more
      ? `${n} Entscheidungen und vielleicht weitere`
      : plural(n, '1 Entscheidung', `${n} Entscheidungen`),
  makeRule: 'Daraus eine Regel machen',
  empty: 'Noch wurde nichts entschieden',
  emptyText: 'Jede Entscheidung erscheint hier, mit wem sie traf und was daraus wurde.',
  unreadable: 'Der Verlauf ist jetzt nicht lesbar',
  unreadableText: 'Der Runner führt ihn und ist nicht verbunden. Nichts davon ging verloren.',
  nothingFound: 'Keine Entscheidung passt zur Suche',
  loading: 'Lädt',
  chart: 'Anfragen je Tag',
  chartText: (asks, needless, days) =>
    `${asks} Anfragen in ${days} Tagen, ${needless} davon unnötig`,
  chartNone: 'In diesen 30 Tagen wurde niemand gefragt.',
  asks: 'Anfragen',
  needless: 'Unnötig',
  needlessMeans: (times) =>
    `Unnötig ist eine Anfrage, wenn Sie einmal erlaubten, was Sie im selben Verzeichnis schon ${times}-mal erlaubt hatten.`,
  dayText: (day, asks, needless) =>
    needless > 0 ? `${day}: ${asks} Anfragen, ${needless} unnötig` : `${day}: ${asks} Anfragen`,
  table: 'Als Tabelle',
  day: 'Tag',
  allowedAsks: 'Erlaubt',
  unanswered: 'Unbeantwortet',
  unasked: 'Ohne Frage',
  worth: 'Immer wieder gefragt',
  worthTimes: (n) => plural(n, 'einmal unnötig', `${n}-mal unnötig`),
};
