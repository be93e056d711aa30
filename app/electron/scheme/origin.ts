/** The one scheme and host that the app's page comes from. */
export const appScheme = 'app';
export const appOrigin = 'app://interlock';

/** The address of the page, with the place inside it after the hash. */
export function pageUrl(place: string): string {
  return `${appOrigin}/${place === '' ? '' : `#${place}`}`;
}
