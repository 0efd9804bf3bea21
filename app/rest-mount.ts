import { app } from "@/server/composition/rest-app";
import { mount } from "@/server/transport/http/mount";

/** The Hono app in the form of Next's route handlers. */
export const handler = mount((request) => app.fetch(request));
