import { answer } from "@/app/rest-mount";

export const dynamic = "force-dynamic";

export {
  answer as GET,
  answer as POST,
  answer as PUT,
  answer as PATCH,
  answer as DELETE,
  answer as HEAD,
  answer as OPTIONS,
};
