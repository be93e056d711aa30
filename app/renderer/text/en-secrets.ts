/** Secrets that are kept by name: what they are for, never what they are. */
export const secrets = {
  title: 'Secrets',
  help: 'Tools and headers use them for agents, and no agent can read one. Keep one at a terminal:',
  none: 'No secret is kept.',
  kept: (when: string) => `kept ${when}`,
  lastUsed: (when: string, by: string | null) =>
    by === null ? `used ${when}` : `used ${when} by ${by}`,
  neverUsed: 'never used',
  noUse: 'Nothing here refers to it.',
  missing: (name: string) => `It is not kept yet: interlock secret set ${name}`,
  uses: {
    tool: (of: string) => `for the brokered tool ${of}`,
    header: (of: string) => `in a header for ${of}`,
    service: (of: string) => `for the service ${of}`,
    'github-app': (of: string) => `signs in at ${of}`,
    agent: (of: string) => `key of ${of} with interlock wrap`,
  },
  keep: 'Keep it',
  remove: 'Remove',
  removeTitle: (name: string) => `Remove the secret “${name}”`,
  removeText:
    'What uses it stops working. Where it came from it still counts, so revoke it there too.',
};
