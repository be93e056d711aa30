import type { StarterRule } from './types.ts';

/** What is in things that were built, and in documents. */
export const inspecting: readonly StarterRule[] = [
  {
    name: 'java-archives',
    why: 'It lists what an archive of Java holds, and unpacks nothing.',
    pattern: 'jar',
    only: 'reads',
    changes: 'nothing',
    examples: {
      match: ['jar tf a.jar', 'jar --list --file=a.jar'],
      noMatch: [
        'jar xf a.jar',
        'jar cf a.jar b',
        'jar uf a.jar b',
        'jar tf a.jar -J-javaagent:b.jar',
        'jar @words',
        'jar tf a.jar @words',
      ],
    },
  },
  {
    name: 'java-classes',
    why: 'It shows what classes declare; no code of theirs runs.',
    pattern: 'javap',
    only: 'reads',
    changes: 'nothing',
    examples: {
      match: ['javap -cp build/classes -p com.example.App'],
      noMatch: ['javap --system x App', 'javap -J-javaagent:x.jar App', 'javap http://x/A.class'],
    },
  },
  {
    name: 'java-processes',
    why: 'They list which programs of Java run.',
    pattern: '{jps,jcmd}',
    only: 'reads',
    changes: 'nothing',
    examples: {
      match: ['jps -l', 'jcmd -l'],
      noMatch: ['jcmd 1 VM.flags', 'jps other.example', 'jcmd -f x', 'jcmd 0 Thread.print'],
    },
  },
  {
    name: 'xml',
    why: 'It checks, lays out and searches XML, and opens nothing that the document names.',
    pattern: 'xmllint',
    only: 'reads',
    changes: 'nothing',
    examples: {
      match: ['xmllint --format a.xml', "xmllint --xpath '//a' a.xml"],
      noMatch: [
        'xmllint --shell a.xml',
        'xmllint --output b.xml a.xml',
        'xmllint --noent a.xml',
        'xmllint --xinclude a.xml',
        'xmllint --c14n a.xml',
        'xmllint --schema a.xsd a.xml',
        'xmllint http://x/a.xml',
        'xmllint file:///etc/shadow',
      ],
    },
  },
];
