import { app } from "@/server/rest/app";

export const dynamic = "force-dynamic";

export const GET = (request: Request) => app.fetch(request);
