/** The cookie that tells the server which of a person's organizations to show: `organizationCookie` of server/auth.ts. */
export const organizationCookieFor = (slug: string): string =>
  `muster-organization=${encodeURIComponent(slug)}; path=/; max-age=31536000; samesite=lax`;
