import { app } from "@/server/composition/rest-app";
import { mount } from "@/server/transport/rest/https";

export const dynamic = "force-dynamic";

const answer = mount((request) => app.fetch(request));

export { answer as GET, answer as PUT, answer as HEAD };
