import type { RedactionRule } from '../types.ts';

/** Secrets that tell themselves by how they look. */
export const tokenRules: readonly RedactionRule[] = [
  {
    name: 'private-key-block',
    pattern: /(?<keep>-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----)[^]*?(?<rest>-----END|$)/g,
    why: 'PEM blocks carry the key itself.',
  },
  {
    name: 'known-token',
    pattern:
      /\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|gl(?:pat|ptt|dt|rt)-[\w-]{16,}|sk-[\w-]{16,}|[rs]k_(?:live|test)_\w{16,}|whsec_\w{16,}|xox[abeoprs]-[\w-]{10,}|xapp-[\w-]{10,}|(?:AKIA|ASIA)[0-9A-Z]{16}|AIza[\w-]{30,}|ya29\.[\w-]{20,}|npm_[A-Za-z0-9]{30,}|pypi-[\w-]{30,}|hf_[A-Za-z0-9]{20,}|dop_v1_[a-f0-9]{40,}|dckr_pat_[\w-]{16,}|shp(?:at|ss)_[a-f0-9]{20,}|AGE-SECRET-KEY-1[A-Z0-9]{20,}|SG\.[\w-]{16,}\.[\w-]{16,})/g,
    why: 'Tokens of well-known services tell themselves by their prefix.',
  },
  {
    name: 'json-web-token',
    // Looked for once in each run of its letters: a start at every "eyJ" would read the run each time.
    pattern:
      /(?<![\w-])(?=[\w-]{13,}\.eyJ[\w-]{10,}\.[\w-]{10,})(?<keep>[\w-]*?)\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}/g,
    why: 'A signed token opens what it is for; its first two parts are JSON, which begins alike.',
  },
];
