import NextAuth from "next-auth";
import { mount } from "@/server/transport/rest/https";
import { authOptions } from "@/server/transport/session/session";

export const dynamic = "force-dynamic";

type Handler = (request: Request, context: { params: Promise<{ nextauth: string[] }> }) => Promise<Response>;
const answer = mount(NextAuth(authOptions) as Handler);

export { answer as GET, answer as POST };
