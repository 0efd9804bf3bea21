import { handler } from "@/app/rest-mount";

export const dynamic = "force-dynamic";

export {
  handler as GET,
  handler as POST,
  handler as PUT,
  handler as PATCH,
  handler as DELETE,
  handler as HEAD,
  handler as OPTIONS,
};
