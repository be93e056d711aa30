import { redact } from '../../shared/engine/index.ts';
import type { Hidden } from '../../shared/engine/index.ts';
import { knownSecrets } from './known-secrets.ts';

/** What of a rule of secretlint is used; all of them work at once, without a promise. */
interface RuleCreator {
  readonly meta: { readonly id: string };
  create(context: object, options: object): { file?(source: object): unknown };
}

interface Check {
  readonly look: (source: object) => unknown;
  readonly found: { readonly range: readonly [number, number] }[];
}

/** These report the whole address, or report nothing: our own reading of addresses says which part is secret. */
const leftOut = /-(?:basicauth|database-connection-string|filter-comments)$/u;

let checks: readonly Check[] = [];

/**
 * Loads the recommended rules of secretlint, a maintained set; until then `redactKept` goes by our
 * own mechanisms alone. Who keeps what it returns awaits this first. Loading twice does nothing.
 */
export async function loadRuleSet(): Promise<void> {
  if (checks.length > 0) return;
  const { rules } = await import('@secretlint/secretlint-rule-preset-recommend');
  checks = (rules as readonly unknown[] as readonly RuleCreator[])
    .filter(({ meta }) => !leftOut.test(meta.id))
    .flatMap((rule) => {
      const found: Check['found'][number][] = [];
      const handler = rule.create(
        {
          createTranslator: () => (messageId: string) => ({ message: messageId, messageId }),
          report: (one: Check['found'][number]) => void found.push(one),
          ignore: () => undefined,
        },
        {},
      );
      return [{ look: (source) => handler.file?.(source), found }];
    });
}

/** What the rule set finds. A rule that fails on a text has found nothing in it. */
function* ruleSetSecrets(content: string): Generator<Hidden> {
  const source = { filePath: 'text', content, contentType: 'text', ext: '' };
  for (const { look, found } of checks) {
    found.length = 0;
    try {
      void look(source);
    } catch {
      continue;
    }
    for (const { range } of found) yield { from: range[0], to: range[1] };
  }
}

function* secretsIn(content: string): Generator<Hidden> {
  yield* knownSecrets(content);
  yield* ruleSetSecrets(content);
}

/** A text as it may be kept or told: without the secrets that are kept here, what our own mechanisms find in it, and the rule set. */
export function redactKept(text: string): string {
  return redact(text, secretsIn);
}
