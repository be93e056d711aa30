import { useText } from '../state/preferences.ts';

/**
 * What the gate says, which is always English. Where the language of the page has a sentence for
 * its code, that comes first and the original stands beneath it.
 */
export function Worded(props: { readonly own: string | undefined; readonly original: string }) {
  const { shell } = useText();
  if (props.own === undefined) return <span>{props.original}</span>;
  return (
    <span className="worded">
      <span>{props.own}</span>
      <span className="worded-original" lang="en" title={shell.original}>
        {props.original}
      </span>
    </span>
  );
}
