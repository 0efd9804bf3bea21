import { app } from "@/server/composition/rest-app";
import { mount } from "@/server/transport/rest/https";

/** The Hono app as Next's route handlers have it. */
export const handler = mount((request) => app.fetch(request));
