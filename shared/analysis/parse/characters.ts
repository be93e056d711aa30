import { opaque, type Opaque } from './opaque.ts';

// oxlint-disable-next-line no-control-regex -- control characters are what this looks for
const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;
const loneSurrogate = /\p{Surrogate}/u;

/**
 * Characters that a person cannot tell from a blank or from nothing, and that a shell may take for
 * a blank in some locales. Inside quotes they are data.
 */
export const oddBlank =
  /[\u00a0\u00ad\u061c\u115f\u1160\u1680\u17b4\u17b5\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufeff\uffa0\ufff0-\ufffb]/;

/** The first character that must not stand anywhere in shell text, or null. */
export function forbiddenCharacter(text: string): Opaque | null {
  const found = control.exec(text) ?? loneSurrogate.exec(text);
  if (found === null) return null;
  const code = text.charCodeAt(found.index).toString(16).padStart(4, '0').toUpperCase();
  return opaque(
    'control-character',
    `The command holds the control character U+${code}, which shells and people read differently.`,
    found.index,
  );
}
