import type { Catalogue } from './en.ts';

const tooWide = 'Eine Regel für dieses Programm würde mehr erlauben als diesen Befehl.';
const unneeded = 'Es ist schon erlaubt und braucht keine Regel.';
export const notAlways: Catalogue['codes']['notAlways'] = {
  high: 'Es kann großen Schaden anrichten. Darum wird jedes Mal gefragt.',
  'other-machine':
    'Ein anderer Rechner fragt. Was dort für länger erlaubt ist, wird an jenem Rechner gesagt.',
  'rule-allow': unneeded,
  'security-full': unneeded,
  'project-edit': unneeded,
  'node-decides': 'Darüber entscheidet der andere Rechner.',
  'rule-deny': 'Eine andere Regel hält es zurück, und die geht jeder Erlaubnis vor.',
  'rule-ask': 'Eine andere Regel hält es zurück, und die geht jeder Erlaubnis vor.',
  opaque: 'Was es ausführen würde, lässt sich vorher nicht sagen. Keine Regel kann das decken.',
  'unsafe-environment': 'Es setzt eine Variable, die Programme ändert. Keine Regel deckt das.',
  'never-trusted': 'Es führt andere Programme oder Code aus, den eine Regel nicht sieht.',
  'guarded-place': 'Es erreicht eine geheime oder steuernde Datei. Jedes Mal wird gefragt.',
  'trust-level': 'Wer fragt, hat dafür nicht genug Vertrauen. Daran ändert keine Regel etwas.',
  'security-deny': 'Dieser Agent darf nichts ausführen. Das ist zuerst zu ändern.',
  'ask-always': 'Die Regeln erlauben es, aber hier wird jedes Mal gefragt.',
  'ask-off': tooWide,
  'no-rule': tooWide,
  'sandbox-unasked': 'Es läuft ohne Frage in der Sandbox und braucht keine Regel.',
  'not-kept': 'Was es ändert, ließe sich nicht zurücknehmen. Daran ändert keine Regel etwas.',
  'egress-unknown': 'Diese Adresse wird nicht dauerhaft gemerkt.',
};

export const verdicts: Catalogue['codes']['verdicts'] = {
  'no-rule': 'Keine Regel deckt das.',
  'egress-unknown': 'Keine Regel erlaubt diese Adresse.',
  'rule-ask': 'Eine Regel sagt, dass danach gefragt wird.',
  opaque: 'Was es ausführen würde, lässt sich vorher nicht sagen.',
  'never-trusted': 'Es führt andere Programme oder Code aus, den eine Regel nicht sieht.',
  'unsafe-environment': 'Es setzt eine Variable, die ändern kann, was seine Programme tun.',
  'guarded-place': 'Es erreicht eine Datei, die geheim ist oder steuert, was später läuft.',
  'ask-always': 'Hier wird jedes Mal gefragt.',
  'trust-level': 'Wer fragt, hat dafür nicht genug Vertrauen.',
  'security-deny': 'Dieser Agent darf nichts ausführen.',
  'security-full': 'Dieser Agent darf alles ausführen.',
  'rule-deny': 'Eine Regel lehnt es ab.',
  'rule-allow': 'Eine Regel erlaubt es.',
  'ask-off': 'Keine Regel erlaubt es, und gefragt wird hier nicht.',
  'sandbox-unasked': 'Es braucht nicht mehr, als die Sandbox gibt.',
  'not-kept': 'Was es ändert, ließe sich nicht zurücknehmen.',
  'project-edit': 'Es ändert eine Datei des Projekts.',
  'node-decides': 'Darüber entscheidet der andere Rechner.',
};

/** By whether the sentence says all that the gate's own does. */
const whole = (says: (name: string) => string) => ({ says, isWhole: true });
const partly = (says: (name: string) => string) => ({ says, isWhole: false });

/** What became of one stage. */
export const stages: NonNullable<Catalogue['codes']['stages']> = {
  'rule-deny': partly((name) => `Eine Regel lehnt ${name} ab.`),
  'rule-ask': partly((name) => `Eine Regel sagt, dass nach ${name} gefragt wird.`),
  'rule-allow': partly((name) => `Eine Regel erlaubt ${name}.`),
  harmless: whole((name) => `${name} gehört zur Shell und braucht keine Regel.`),
  missing: whole((name) => `Ein Programm namens ${name} gibt es hier nicht.`),
  broken: partly(() => 'Die Regel dafür ist nicht zu verstehen und erlaubt nichts.'),
  program: whole((name) => `Für ${name} gibt es noch keine Regel.`),
  'not-in-force': whole((name) => `Die Regeln für ${name} sind abgelaufen oder gelten anderswo.`),
  'more-than-reads': whole(
    (name) => `Die Regel für ${name} umfasst, was nur liest. Dies könnte mehr tun.`,
  ),
  arguments: whole((name) => `Für ${name} gibt es Regeln, aber keine mit diesen Argumenten.`),
  directory: partly((name) => `Eine Regel erlaubt ${name} nur in einem anderen Ordner.`),
  variables: partly((name) => `Keine Regel erlaubt ${name} mit diesen Variablen.`),
  writes: partly((name) => `Keine Regel lässt ${name} dorthin schreiben.`),
  guarded: partly(
    (name) => `Die Regeln für ${name} nennen eine geschützte Datei nicht, die es erreicht.`,
  ),
  reads: partly((name) => `Die Regel für ${name} legt die Argumente fest, nicht die Eingabe.`),
  'never-trusted': partly((name) => `Für ${name} kann es keine Regel geben.`),
  'not-named': partly((name) => `Von ${name} ist nichts bekannt, und keine Regel nennt es.`),
  'not-spelled': partly(
    (name) => `Eine Regel für ${name} muss hier ausschreiben, was sich auf Dauer ändert.`,
  ),
  'not-pinned': partly((name) => `Eine Regel für ${name} muss hier jedes Argument nennen.`),
  changeable: partly(
    (name) =>
      `${name} liegt, wo Agenten es ändern können. Eine Regel muss die Datei selbst nennen.`,
  ),
  content: partly((name) => `${name} hat sich geändert, seit die Regel dafür gemacht wurde.`),
  code: whole((name) => `Keine Regel deckt den Code, den ${name} hier bekommt.`),
  recipe: partly(() => 'Das Skript lautet nicht mehr so wie bei der Regel dafür.'),
  files: partly(() => 'Eine Datei, die das steuert, hat sich seit der Regel dafür geändert.'),
  risk: whole(() => 'Die Regel gilt nur für das, was nicht gefährlich aussieht.'),
};
