// @ts-check

/**
 * @typedef {{ readonly name: string, readonly package: string, readonly version: string }} Pinned
 * @typedef {{ readonly fullName: string, readonly status: string, readonly failureMessages?: readonly string[] }} Assertion
 * @typedef {{ readonly testResults: readonly { readonly assertionResults: readonly Assertion[] }[] }} Report
 */

/**
 * What is pinned in the file of an agent's program: its name, its package for this machine, its version.
 *
 * @param {string} text
 * @param {{ readonly platform: string, readonly arch: string }} machine
 * @returns {Pinned | null} null where the file pins none
 */
export function pinnedIn(text, { platform, arch }) {
  const pin = /pin: \{([\s\S]*?)\n {2}\}/u.exec(text)?.[1] ?? '';
  const field = (/** @type {string} */ name) =>
    new RegExp(`^ *${name}: ['\`]([^'\`]+)['\`]`, 'mu').exec(pin)?.[1];
  const [name, version, from] = [field('name'), field('version'), field('package')];
  if (name === undefined || version === undefined || from === undefined) return null;
  const at = from.replace('${process.platform}', platform).replace('${process.arch}', arch);
  return { name, version, package: at };
}

/**
 * What the scenarios say of a version: which of them broke, each with the first line of why. A run
 * that played none shows nothing, so it is no pass.
 *
 * @param {Report | null} report as `vitest --reporter=json` writes it; null where there is none
 * @returns {{ readonly word: 'holds' | 'BROKEN' | 'NOT TRIED', readonly lines: readonly string[] }}
 */
export function verdictOf(report) {
  const all = (report?.testResults ?? []).flatMap(({ assertionResults }) => assertionResults);
  const broken = all.filter(({ status }) => status === 'failed');
  if (broken.length > 0)
    return {
      word: 'BROKEN',
      lines: broken.map(({ fullName, failureMessages }) => {
        const why = failureMessages?.[0]?.split('\n')[0] ?? 'no reason was given';
        return `${fullName}: ${why}`;
      }),
    };
  if (all.some(({ status }) => status === 'passed')) return { word: 'holds', lines: [] };
  // A test that is left out says why in its name.
  return { word: 'NOT TRIED', lines: all.map(({ fullName }) => fullName) };
}
