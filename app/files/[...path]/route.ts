import { answer } from "@/app/rest-mount";

export const dynamic = "force-dynamic";

export { answer as GET, answer as PUT, answer as HEAD };
