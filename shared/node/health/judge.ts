import type { HealthCheck } from './types.ts';

/** All is well. */
export function ok(id: string, title: string, detail = ''): HealthCheck {
  return { id, level: 'ok', title, detail, mendable: false };
}

/** Works, but a person should know. */
export function warning(id: string, title: string, detail: string): HealthCheck {
  return { id, level: 'warning', title, detail, mendable: false };
}

/** Does not work, or is not safe. */
export function danger(id: string, title: string, detail: string): HealthCheck {
  return { id, level: 'danger', title, detail, mendable: false };
}

/** The same, with an offer to put it right. */
export function mendable(check: HealthCheck): HealthCheck {
  return { ...check, mendable: true };
}
