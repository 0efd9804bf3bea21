import NextAuth from "next-auth";
import { authOptions } from "@/server/auth";
import { mount } from "@/server/rest/https";

export const dynamic = "force-dynamic";

type Handler = (request: Request, context: { params: Promise<{ nextauth: string[] }> }) => Promise<Response>;
const answer = mount(NextAuth(authOptions) as Handler);

export { answer as GET, answer as POST };
