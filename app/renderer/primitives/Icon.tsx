/** Outlines on a 16 by 16 grid, drawn for Interlock. */
const paths = {
  asks: 'M3 3.5h10v7H7.5L4.5 13v-2.5H3z M6 7h4',
  allowlist: 'M2.5 4.5l1.2 1.2L6 3.4 M2.5 11.2l1.2 1.2L6 10.1 M8.5 4.7h5 M8.5 11.4h5',
  history: 'M8 2.5a5.5 5.5 0 1 1-5 3.2 M2.6 2.8v3h3 M8 5.2V8l2 1.5',
  missed: 'M2.5 9.5h3.2l1 1.8h2.6l1-1.8h3.2 M4.4 3.5h7.2l1.9 6v3h-11v-3z',
  boxes: 'M2.5 5l5.5-2.5L13.5 5v6L8 13.5 2.5 11z M2.5 5L8 7.5 13.5 5 M8 7.5v6',
  nodes: 'M2.5 3h11v4h-11z M2.5 9h11v4h-11z M5 5h.1 M5 11h.1',
  health: 'M2 8.3h2.8l1.5-3.8 2.6 7 1.6-3.2H14',
  lockout: 'M4 7.5h8v5.5H4z M5.5 7.5V5.3a2.5 2.5 0 0 1 5 0v2.2 M8 9.8v1.2',
  pause: 'M5.5 3.5v9 M10.5 3.5v9',
  resume: 'M5 3.5l7 4.5-7 4.5z',
  settings:
    'M2.5 5h5 M11.5 5h2 M9.5 3.2a1.8 1.8 0 1 1 0 3.6 1.8 1.8 0 0 1 0-3.6 M2.5 11h2 M8.5 11h5 M6.5 9.2a1.8 1.8 0 1 1 0 3.6 1.8 1.8 0 0 1 0-3.6',
  close: 'M4 4l8 8 M12 4l-8 8',
  danger: 'M8 2.2l6.2 11.3H1.8z M8 6.5v3.2 M8 11.4v.4',
  caution: 'M8 2.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11 M8 5.2v3.6 M8 10.7v.4',
  ok: 'M8 2.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11 M5.6 8.2l1.7 1.7 3.2-3.6',
  write: 'M3 13h10 M4 10.5l6.3-6.3 1.8 1.8-6.3 6.3H4z',
  quote: 'M4 5.2h2.6v3L5 11 M9.2 5.2h2.6v3L10.2 11',
  down: 'M4 6.2l4 4 4-4',
  right: 'M6 4l4 4-4 4',
  search: 'M7 2.8a4.2 4.2 0 1 1 0 8.4 4.2 4.2 0 0 1 0-8.4 M10.2 10.2l3.3 3.3',
  add: 'M8 3v10 M3 8h10',
  edit: 'M3 13l.6-2.8L10.5 3.300l2.2 2.2L5.8 12.400z',
  copy: 'M5.5 5.500h7.500v7.500H5.500z M3 10.500V3h7.5',
  trash: 'M3 4.500h10 M6.3 4.300V3h3.400v1.3 M4.3 4.500l.6 8.500h6.200l.6-8.5',
  undo: 'M5.5 3.500L2.8 6.200l2.7 2.7 M3 6.200h6.300a3.3 3.3 0 0 1 0 6.600H6',
  process: 'M3 3v7.500h4 M5 3.800h0 M7 8.500h6v4H7z M3 3h0',
  terminal: 'M2.5 3.500h11v9h-11z M5 6.500l1.8 1.700L5 9.9 M8.5 10h2.5',
} as const;

export type IconName = keyof typeof paths;

/** An icon beside words; it is decoration and says nothing of its own. */
export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={paths[name]} />
    </svg>
  );
}
