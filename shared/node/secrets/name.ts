const allowed = /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/;

/** Throws for a name that could leave its folder; such a name is a bug of the caller. */
export function checkSecretName(name: string): void {
  if (!allowed.test(name))
    throw new Error('A secret name is 1 to 64 of a-z, 0-9 and inner hyphens.');
}
