/** The agent's own words for why, null where it gave none. */
export function statedReason(words: string | undefined): string | null {
  return words === undefined || words === '' ? null : words;
}
