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
 * Which scenarios a version broke, each with the first line of why; what was not played is a break.
 *
 * @param {Report | null} report as `vitest --reporter=json` writes it; null where there is none
 * @returns {readonly string[]}
 */
export function brokenIn(report) {
  const all = (report?.testResults ?? []).flatMap(({ assertionResults }) => assertionResults);
  const broken = all
    .filter(({ status }) => status === 'failed')
    .map(({ fullName, failureMessages }) => {
      const why = failureMessages?.[0]?.split('\n')[0] ?? 'no reason was given';
      return `${fullName}: ${why}`;
    });
  if (broken.length > 0) return broken;
  return all.some(({ status }) => status === 'passed') ? [] : ['nothing was played'];
}
