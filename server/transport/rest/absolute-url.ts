/** Turns a path on our own server into an absolute URL for this caller; returns `""` and absolute URLs unchanged. */
export const absoluteUrl = (path: string, publicUrl: string): string =>
  path === "" ? "" : new URL(path, publicUrl).href;
