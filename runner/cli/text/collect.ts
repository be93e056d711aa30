/** Gathers the values of an option that may be repeated; commander hands over what came before. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
