import { messageOf } from '../base/index.ts';

/** Plain data of a text, or a sentence about what is in the way, with the line where one is known. */
type StrictYaml =
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problem: string };

/**
 * Reads YAML of which two readers cannot think differently: no key twice, no anchors, aliases, tags,
 * merges or directives, one document. Never rejects.
 */
export async function readStrictYaml(text: string): Promise<StrictYaml> {
  const { parseDocument, visit } = await import('yaml');
  if (/^%/mu.test(text)) return { ok: false, problem: 'It has a directive; leave it out.' };
  try {
    const document = parseDocument(text, {
      version: '1.2',
      schema: 'core',
      strict: true,
      merge: false,
    });
    const [error] = [...document.errors, ...document.warnings];
    if (error !== undefined)
      return { ok: false, problem: error.message.split('\n', 1)[0] ?? 'It is not YAML.' };
    const special: string[] = [];
    visit(document, {
      Alias: () => void special.push('an alias'),
      Node: (_key, node) => {
        if ('anchor' in node && node.anchor !== undefined) special.push('an anchor');
        if (node.tag !== undefined) special.push('a tag');
      },
    });
    const [first] = special;
    if (first !== undefined)
      return { ok: false, problem: `It has ${first}; write it out instead.` };
    return { ok: true, value: document.toJS({ maxAliasCount: 0 }) };
  } catch (error) {
    // Nested deeper than the reader's stack, for one.
    return { ok: false, problem: `It cannot be read: ${messageOf(error).slice(0, 200)}.` };
  }
}
