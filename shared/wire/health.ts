/** What a secret is for: a brokered tool, a header for a host, a service, GitHub, or an agent's key. */
export interface SecretUse {
  readonly kind: 'tool' | 'header' | 'service' | 'github-app' | 'agent';
  /** The tool, host, service or program. */
  readonly of: string;
}

/** A named secret as a person sees it. Times in milliseconds since the epoch. */
export interface ListedSecret {
  readonly name: string;
  /** Null where it is asked for and was never kept. */
  readonly keptAt: number | null;
  readonly lastUsedAt: number | null;
  readonly lastUsedBy: string | null;
  readonly uses: readonly SecretUse[];
}

/** One line of `interlock doctor` and of the app's Health view. */
export interface HealthCheck {
  readonly id: string;
  readonly level: 'ok' | 'warning' | 'danger';
  readonly title: string;
  /** What was found and, unless all is well, how to mend it. */
  readonly detail: string;
  /** True when `mend` with this id can repair it. */
  readonly mendable: boolean;
}
