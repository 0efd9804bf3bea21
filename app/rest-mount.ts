import { app } from "@/server/composition/rest-app";
import { mount } from "@/server/transport/rest/https";

/** The Hono app in the form of Next's route handlers. */
export const handler = mount((request) => app.fetch(request));
