import type { Catalogue } from './en.ts';
import { plural } from './format.ts';

/** Alles beim Namen, von der Tastatur aus. */
export const palette: Catalogue['palette'] = {
  title: 'Gehe zu oder führe aus',
  open: 'Ansicht oder Befehl finden',
  placeholder: 'Ansicht, Aktion, Agent oder Wörter eines Befehls',
  nothing: 'Nichts heißt so.',
  found: (n) => plural(n, '1 gefunden', `${n} gefunden`),
  view: (name) => `${name} zeigen`,
  ask: (agent, wants, command) => `Ansehen: ${agent} ${wants}: ${command}`,
  rulesOf: (agent) => `Regeln von ${agent}`,
  search: (words) => `Im Verlauf nach „${words}“ suchen`,
  addRule: 'Regel hinzufügen',
  theme: (name) => `Darstellung: ${name}`,
  language: (name) => `Sprache: ${name}`,
  more: (n) =>
    plural(n, '1 weiterer Eintrag. Tippen grenzt ein.', `${n} weitere. Tippen grenzt ein.`),
};

/** Was dasteht, wenn nichts wartet. */
export const calm: Catalogue['calm'] = {
  agents: 'Agenten',
  today: 'Heute',
  quiet: (n) => plural(n, '1 Befehl lief ungefragt', `${n} Befehle liefen ungefragt`),
  asked: (n) => plural(n, 'Sie wurden einmal gefragt', `Sie wurden ${n}-mal gefragt`),
  nothing: 'Heute wurde noch nichts entschieden.',
  last: 'Letzte Antworten',
  all: 'Der ganze Verlauf',
  connect: 'Agenten verbinden',
};

/** Ein Agent, der von der Seite aus hinter die Schranke kommt. */
export const connect: Catalogue['connect'] = {
  title: 'Agenten verbinden',
  text: 'Seine Einstellungen bekommen den Hook von Interlock, und er bekommt einen eigenen Schlüssel. Alles andere darin bleibt, wie es ist.',
  which: 'Agent',
  looking: 'Seine Einstellungen werden gelesen',
  diff: 'Was sich ändern würde',
  nothing: 'Nichts würde sich ändern: Er ist schon verbunden.',
  accept: 'Annehmen und verbinden',
  connecting: 'Wird verbunden',
  done: 'Verbunden',
  later: 'Starten Sie den Agenten neu, damit er hier fragt.',
  undo: (host) => `„interlock uninstall ${host}“ nimmt es wieder heraus.`,
  close: 'Schließen',
  open: 'Agenten verbinden',
};

/** Mitteilungen eines Browsers. */
export const notify: Catalogue['notify'] = {
  title: (agent, wants) => `${agent} ${wants}`,
  highRisk: 'Das kann Schaden anrichten. Sehen Sie es sich in Interlock an.',
  cut: 'Es ist mehr, als hier Platz hat.',
  many: (n) => plural(n, '1 Anfrage wartet', `${n} Anfragen warten`),
  allowOnce: 'Einmal erlauben',
  deny: 'Ablehnen',
  show: 'Ansehen',
  notCounted: 'Die Antwort kam zu spät oder zu früh. Durch sie wurde nichts erlaubt.',
  ask: 'Von Anfragen erfahren, während dieser Tab im Hintergrund ist',
  askText:
    'Der Browser fragt um Erlaubnis. Eine Mitteilung nimmt „Ablehnen“ und, wo der ganze Befehl darin steht und er keinen Schaden anrichten kann, auch „Erlauben“.',
  turnOn: 'Mitteilungen einschalten',
  on: 'Mitteilungen sind in diesem Browser an.',
  blocked:
    'Dieser Browser sperrt Mitteilungen von Interlock. Seine Einstellungen für diese Seite ändern das.',
  none: 'Dieser Browser hat keine Mitteilungen.',
};

export const health: Catalogue['health'] = {
  title: 'Zustand',
  checking: 'Die Einrichtung wird geprüft',
  again: 'Nochmals prüfen',
  mend: 'Beheben',
  mending: 'Wird behoben',
  levels: { ok: 'In Ordnung', warning: 'Sollte behoben werden', danger: 'Unsicher' },
  allGood: 'Alles ist in Ordnung.',
  found: (n) => plural(n, '1 Punkt braucht Aufmerksamkeit', `${n} Punkte brauchen Aufmerksamkeit`),
};
