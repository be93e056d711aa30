import type { ReactNode } from 'react';
import { Icon } from './Icon.tsx';
import type { IconName } from './Icon.tsx';
import './empty.css';

/** What a view says when it has nothing to show. */
export function Empty(props: {
  readonly icon: IconName;
  readonly title: string;
  readonly text?: string;
  readonly children?: ReactNode;
}) {
  return (
    <div className="empty">
      <Icon name={props.icon} size={28} />
      <h2>{props.title}</h2>
      {props.text !== undefined && <p className="quiet">{props.text}</p>}
      {props.children}
    </div>
  );
}
