/** Whether a URL's host is this machine: `localhost`, a name below it, 127.0.0.0/8 or `[::1]`. */
export const isLoopback = (hostname: string): boolean =>
  /^(.+\.)?localhost$/.test(hostname) || /^127(\.\d+){3}$/.test(hostname) || hostname === "[::1]";
