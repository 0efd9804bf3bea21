import { app } from "@/server/rest/app";

export const dynamic = "force-dynamic";

const answer = (request: Request) => app.fetch(request);

export { answer as GET, answer as POST, answer as PUT, answer as PATCH, answer as DELETE, answer as HEAD, answer as OPTIONS };
