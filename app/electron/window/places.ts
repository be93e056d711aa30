/** The views of the page that the shell opens by their address. */
export const places = {
  asks: '/asks',
  ask: (id: string) => `/asks/${encodeURIComponent(id)}`,
} as const;
