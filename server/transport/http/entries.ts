import { defaultMaxBodyBytes } from "@/server/transport/rest/body";

/** One way into the web process, and what limits its requests. */
export interface Entry {
  name: string;
  /** A path, with or without its trailing slash; with `/*` at the end everything below it too. */
  path: `/${string}`;
  /** Every method when absent. */
  method?: string;
  /** What responds: the probes of the HTTP server, the Hono app, or Next. */
  handler: "probe" | "api" | "pages";
  /**
   * The limit that its requests count against, by person or else address. Others are counted by the operation of the
   * REST API, by tRPC's procedure, by the upload's slot, or not: probes, built files, signed downloads, and parts
   * of media, of which a page reads many.
   */
  counted: "page" | "csv" | "by operation" | "by procedure" | "by slot" | "not";
  /** The largest body in bytes. REST and uploads read it as a stream: the operation's limit, and the size in the link. */
  body: number | "of operation" | "of link";
  /** What authenticates its caller. Entries with a cookie refuse changes that another site's page requests. */
  credential: "none" | "key" | "cookie" | "link";
  /** Who refuses texts that no column can hold: the guard, or the router that parses the body. */
  text: "guard" | "router";
  /** The media types of its bodies; all when absent. */
  accepts?: readonly string[];
}

const probe = {
  handler: "probe",
  counted: "not",
  body: defaultMaxBodyBytes,
  credential: "none",
  text: "guard",
} as const;
const page = {
  handler: "pages",
  counted: "page",
  body: defaultMaxBodyBytes,
  credential: "cookie",
  text: "guard",
} as const;
const file = { handler: "api", credential: "link", text: "router" } as const;
const json = "application/json";

/** Every entry but the pages. The first that matches a request applies. */
export const entries: readonly Entry[] = [
  { ...probe, name: "liveness", path: "/healthz" },
  { ...probe, name: "readiness", path: "/readyz" },
  { ...probe, name: "metrics", path: "/metrics" },
  {
    name: "REST",
    path: "/api/v1/*",
    handler: "api",
    counted: "by operation",
    body: "of operation",
    credential: "key",
    text: "router",
  },
  { ...page, name: "changes", path: "/api/changes", handler: "api" },
  { ...file, name: "uploads", path: "/files/upload/*", method: "PUT", counted: "by slot", body: "of link" },
  { ...file, name: "cuts", path: "/files/cuts/*", counted: "by slot", body: defaultMaxBodyBytes },
  { ...file, name: "files", path: "/files/*", counted: "not", body: defaultMaxBodyBytes },
  { ...page, name: "media", path: "/media/*", handler: "api", counted: "not" },
  { ...page, name: "tRPC", path: "/api/trpc/*", counted: "by procedure", text: "router", accepts: [json] },
  { ...page, name: "sign-in", path: "/api/auth/*", accepts: [json, "application/x-www-form-urlencoded"] },
  { ...page, name: "devices as CSV", path: "/devices/export", counted: "csv" },
  { ...page, name: "logos", path: "/organization-logos/*" },
  { ...page, name: "built files", path: "/_next/static/*", counted: "not" },
  { ...page, name: "page workers", path: "/engine/*", counted: "not" },
];

/** Pages and every path that no entry names: the strictest limits apply to what nobody declared. */
export const pages: Entry = { ...page, name: "pages", path: "/*" };

function matches({ path, method }: Entry, requestMethod: string, requestPath: string): boolean {
  if (method !== undefined && method !== requestMethod) return false;
  const base = path.replace(/\/\*$/, "");
  const below = path.endsWith("/*") ? requestPath.startsWith(`${base}/`) : requestPath === `${base}/`;
  return below || requestPath === base;
}

/** The path as Next reads it, so that an escaped letter does not lead around an entry. */
export function decodePath(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path; // refused by the guard
  }
}

/** The entry of a request by its method and its path without the query. */
export function findEntry(method: string, path: string): Entry {
  const decoded = decodePath(path);
  return entries.find((entry) => matches(entry, method, decoded)) ?? pages;
}
