import type { SignedUrls } from "@/server/features/uploads/resource";
import { absoluteUrl } from "@/server/transport/rest/absolute-url";

/** Makes relative upload URLs absolute, based on `publicUrl`. */
export const absoluteUrls = ({ urls }: SignedUrls, publicUrl: string): SignedUrls => ({
  urls: urls.map((entry) => ({ ...entry, put_url: absoluteUrl(entry.put_url, publicUrl) })),
});
