import { lastingCookie } from "@/components/kit/preferences";

/** A full page load: nothing on screen or in a cache survives it. */
export function startOverAt(path: string): void {
  location.assign(path);
}

/**
 * Opens the home page of another of a person's organizations. The cookie is `organizationCookie` of
 * server/transport/session/session.ts.
 */
export function openOrganization(slug: string): void {
  document.cookie = lastingCookie("muster-organization", slug, location.protocol);
  startOverAt("/");
}
