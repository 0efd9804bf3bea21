import { app } from "@/server/composition/rest-app";
import { mount } from "@/server/transport/rest/https";

export const dynamic = "force-dynamic";

const answer = mount((request) => app.fetch(request));

export {
  answer as GET,
  answer as POST,
  answer as PUT,
  answer as PATCH,
  answer as DELETE,
  answer as HEAD,
  answer as OPTIONS,
};
