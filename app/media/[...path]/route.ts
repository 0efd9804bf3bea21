import { handler } from "@/app/rest-mount";

export const dynamic = "force-dynamic";

export { handler as GET };
