/** A path on our own server as a URL that this caller can reach; `""` stays `""`, and a URL stays as it is. */
export const absoluteUrl = (path: string, publicUrl: string): string =>
  path === "" ? "" : new URL(path, publicUrl).href;
