import type { Ask } from '../../../shared/ask/types.ts';
import { displayPlain } from '../../../shared/display/display.ts';
import { useText } from '../state/preferences.ts';

/** Who asks and where: session, host, directory, and the processes the request came through. */
export function Who({ ask }: { readonly ask: Ask }) {
  const { prompt } = useText();
  const chain = ask.ancestry.toReversed();
  return (
    <dl className="who">
      <div className="who-item who-directory">
        <dt>{prompt.directory}</dt>
        <dd className="mono">{displayPlain(ask.cwd)}</dd>
      </div>
      <div className="who-item">
        <dt>{prompt.host}</dt>
        <dd>{prompt.hosts[ask.host] ?? displayPlain(ask.host)}</dd>
      </div>
      <div className="who-item">
        <dt>{prompt.session}</dt>
        <dd className="mono">
          {ask.session === null ? prompt.noSession : displayPlain(ask.session)}
        </dd>
      </div>
      {ask.toolUseId !== null && (
        <div className="who-item">
          <dt>{prompt.toolUse}</dt>
          <dd className="mono">{displayPlain(ask.toolUseId)}</dd>
        </div>
      )}
      <div className="who-item who-chain">
        <dt>{prompt.processes}</dt>
        <dd>
          {chain.length === 0 ? (
            prompt.processUnknown
          ) : (
            <ol className="chain">
              {chain.map(({ pid, name, command }) => (
                <li key={pid} title={displayPlain(command)}>
                  <span className="mono">{displayPlain(name)}</span>{' '}
                  <span className="faint">{pid}</span>
                </li>
              ))}
            </ol>
          )}
        </dd>
      </div>
    </dl>
  );
}
