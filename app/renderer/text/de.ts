import type { Catalogue } from './en.ts';
import { codes } from './de/codes.ts';
import { guide, startRunner } from './de/guide.ts';
import { exchange } from './de/exchange.ts';
import { prompt } from './de/prompt.ts';
import { rules, ruleForm, tester, conflict } from './de/rules.ts';
import { history } from './de/history.ts';
import { settings } from './de/settings.ts';
import { lockout } from './de/lockout.ts';
import { plural } from './plural.ts';

/** Every word that the app shows, in German. */
export const de: Catalogue = {
  code: 'de',
  name: 'Deutsch',
  app: 'Interlock',
  views: {
    asks: 'Anfragen',
    allowlist: 'Regeln',
    history: 'Verlauf',
    missed: 'Verpasst',
    health: 'Zustand',
    settings: 'Einstellungen',
  },
  shell: {
    skip: 'Zum Inhalt springen',
    navigation: 'Ansichten',
    waiting: (n) => plural(n, '1 Anfrage wartet', `${n} Anfragen warten`),
    settings: 'Einstellungen',
    close: 'Schließen',
    dismiss: 'Ausblenden',
    startRunner: 'Runner starten',
    starting: 'Startet',
    original: 'Im Wortlaut der Prüfung',
  },
  mode: {
    armed: 'Scharf',
    paused: 'Pause',
    locked: 'Gesperrt',
    gone: 'Runner nicht verbunden',
    connecting: 'Verbinde',
    lost: 'Nicht verbunden',
    pausedText: 'Jede Anfrage wird abgelehnt, bis Sie fortsetzen.',
    running: (n) => plural(n, '1 Befehl läuft', `${n} Befehle laufen`),
    pause: 'Pause',
    resume: 'Fortsetzen',
    pauseReason: 'Angehalten in der Freigabe-App',
  },
  title: {
    asks: (n) => plural(n, '1 Anfrage', `${n} Anfragen`),
  },
  banner: {
    policy: 'Die Regeldatei ist ungültig. Darum wird alles abgelehnt.',
    lost: 'Die Verbindung zur Freigabe-App ist unterbrochen.',
    lostText: 'Bis sie wieder steht, lässt sich von hier nichts beantworten. Neuer Versuch läuft.',
    ended: 'Diese Konsolensitzung ist zu Ende.',
    endedText: 'Rufen Sie „interlock ui“ im Terminal auf und öffnen Sie den neuen Link.',
    runner: 'Der Runner ist nicht verbunden.',
    runnerText: `${startRunner} Bis dahin kommt kein Befehl durch.`,
  },
  prompt,
  queue: {
    title: 'Wartend',
    empty: 'Nichts wartet auf Sie',
    emptyText:
      'Will ein Agent etwas ausführen, das keine Regel entscheidet, dann erscheint es hier.',
    tryIt: 'Zum Ausprobieren im Terminal:',
    count: (n) => plural(n, '1 Anfrage', `${n} Anfragen`),
    flood: (agent, n) => `${agent} hat ${n}-mal gefragt. Als eine gezeigt.`,
    onScreen: 'gerade sichtbar',
    reveal: 'Jede zeigen',
    hide: 'Einklappen',
    denyAll: (n) => `Alle ${n} ablehnen`,
    denyAgent: (agent) => `Alles ablehnen, was ${agent} gefragt hat`,
    allowAll: (n) => `${n} ansehen und erlauben`,
    reviewTitle: (n) => `Diese ${n} je einmal erlauben?`,
    reviewText: 'Jeder läuft einmal. Nichts wird gemerkt.',
    allowThese: (n) => `Alle ${n} einmal erlauben`,
    cancel: 'Abbrechen',
    done: (n, of) => `${n} von ${of} Antworten wurden angenommen.`,
  },
  rules,
  ruleForm,
  tester,
  conflict,
  history,
  missed: {
    title: 'Verpasst',
    empty: 'Sie haben nichts verpasst',
    emptyText: 'Anfragen, die ohne Ihre Antwort endeten, bleiben hier.',
    reasons: {
      answered: 'Anderswo beantwortet',
      expired: 'Zeit abgelaufen',
      'requester-gone': 'Der Agent wartet nicht mehr',
      lockout: 'Durch die Sperre abgelehnt',
      pause: 'Durch die Pause abgelehnt',
      'runner-stopping': 'Der Runner wurde beendet',
    },
    makeRule: 'Daraus eine Regel machen',
  },
  health: {
    title: 'Zustand',
    checking: 'Die Einrichtung wird geprüft',
    again: 'Nochmals prüfen',
    mend: 'Beheben',
    mending: 'Behebt',
    levels: { ok: 'In Ordnung', warning: 'Sollte behoben werden', danger: 'Unsicher' },
    allGood: 'Alles ist in Ordnung.',
    found: (n) =>
      plural(n, '1 Punkt braucht Aufmerksamkeit', `${n} Punkte brauchen Aufmerksamkeit`),
  },
  lockout,
  settings,
  guide,
  exchange,
  codes,
  sample: 'interlock run -- rm -rf /tmp/demo',
};
