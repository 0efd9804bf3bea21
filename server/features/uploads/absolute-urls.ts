import type { SignedUrls } from "@/server/features/uploads/resource";
import { absoluteUrl } from "@/server/transport/rest/absolute-url";

/** Where to PUT files, with the paths on our own server as absolute URLs. */
export const absoluteUrls = ({ urls }: SignedUrls, publicUrl: string): SignedUrls => ({
  urls: urls.map((entry) => ({ ...entry, put_url: absoluteUrl(entry.put_url, publicUrl) })),
});
