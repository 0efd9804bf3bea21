import { app } from "@/server/rest/app";

export const dynamic = "force-dynamic";

const answer = (request: Request) => app.fetch(request);

export { answer as GET, answer as PUT, answer as HEAD };
