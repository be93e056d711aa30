import type { Catalogue } from '../en.ts';

/** Was zu tippen ist, wo kein Runner läuft; das Banner sagt dasselbe. */
export const startRunner =
  'Starten Sie ihn mit „interlock runner“ im Terminal oder auf Dauer mit „interlock service install“.';

/** Die ersten Schritte. */
export const guide: Catalogue['guide'] = {
  title: 'Erste Schritte',
  text: 'Agenten fragen hier, bevor ein Befehl läuft. Das braucht es dafür.',
  steps: {
    policy: 'Regeln, nach denen jeder fragen muss',
    passphrase: 'Eine Passphrase für den Weg aus der Sperre',
    runner: 'Der Runner zwischen Agenten und Ihrer Shell',
    agent: 'Ein Agent, der fragt',
    'first-ask': 'Eine Anfrage, die Sie beantwortet haben',
  },
  hints: {
    policy: 'Rufen Sie „interlock init“ im Terminal auf: Danach muss jeder fragen.',
    passphrase: 'Rufen Sie „interlock passphrase“ im Terminal auf. Sie öffnet eine Sperre.',
    runner: startRunner,
    agent: 'Verbinden Sie einen: „interlock install claude“ oder „interlock install codex“.',
    'first-ask': 'Lösen Sie hier eine Anfrage aus und beantworten Sie sie.',
  },
  done: 'erledigt',
  open: 'offen',
  try: 'Mit einer echten Anfrage ausprobieren',
  trying: 'Fragt',
  tryText: 'Sie führt „echo“ aus und ändert nichts. Sie entscheiden.',
  skip: 'Überspringen',
  finishedTitle: 'Das war alles',
  finishedText: 'Anfragen kommen ab jetzt von selbst hierher. Der Verlauf hält jede Antwort fest.',
  close: 'Erste Schritte schließen',
};
