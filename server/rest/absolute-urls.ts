import type { SignedUrls } from "@/server/uploads/resource";

/** Where to PUT files, with the paths on our own server as absolute URLs. */
export const absoluteUrls = ({ urls }: SignedUrls, publicUrl: string): SignedUrls => ({
  urls: urls.map((entry) => ({ ...entry, put_url: new URL(entry.put_url, publicUrl).href })),
});
