/** The largest logo in bytes, and the pixels of its longer side: it is shown small. */
export const maxLogoBytes = 64 * 1024;
export const logoSide = 128;

const path = "/organization-logos/";

/** Where the logo of an organization is, below the address of the installation. */
export const logoPath = (organizationUid: string, logo: string): string => `${path}${organizationUid}/${logo}`;

/**
 * The path of a logo that Muster itself has, so that pages show it at whichever address they are; null for one at
 * another address, which they may not load.
 */
export function ownLogoPath(logoUrl: string | null | undefined): string | null {
  if (!logoUrl || !URL.canParse(logoUrl)) return null;
  const { pathname } = new URL(logoUrl);
  return pathname.startsWith(path) ? pathname : null;
}
