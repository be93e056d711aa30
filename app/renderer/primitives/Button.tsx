import type { ButtonHTMLAttributes, Ref } from 'react';
import { Icon } from './Icon.tsx';
import type { IconName } from './Icon.tsx';

type ButtonLook = 'default' | 'solid' | 'accent' | 'danger' | 'danger-outline' | 'plain';

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly look?: ButtonLook;
  readonly small?: boolean;
  readonly icon?: IconName;
  /** The key that does the same, shown on the button. */
  readonly shortcut?: string;
  readonly ref?: Ref<HTMLButtonElement>;
}

/** The one button. With an icon and no children it needs an `aria-label`. */
export function Button({
  look = 'default',
  small = false,
  icon,
  shortcut,
  className = '',
  children,
  ...rest
}: ButtonProps) {
  const classes = [
    'button',
    look === 'default' ? '' : `button-${look}`,
    small ? 'button-small' : '',
    children === undefined ? 'button-icon' : '',
    className,
  ];
  return (
    <button
      type="button"
      className={classes.filter(Boolean).join(' ')}
      aria-keyshortcuts={shortcut}
      {...rest}
    >
      {icon !== undefined && <Icon name={icon} />}
      {children}
      {shortcut !== undefined && <Key name={shortcut} />}
    </button>
  );
}

/** A key cap; a capital letter is shown with the shift that it takes. */
export function Key({ name }: { readonly name: string }) {
  const shifted = /^[A-Z]$/.test(name);
  return (
    <kbd className="key" aria-hidden="true">
      {shifted ? `⇧${name}` : name.length === 1 ? name.toUpperCase() : name}
    </kbd>
  );
}
