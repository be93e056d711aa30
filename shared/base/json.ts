/** The value of a JSON text, or `undefined`, which no JSON text stands for and no schema accepts. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
