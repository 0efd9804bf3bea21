import { readLogo } from "@/server/features/organizations/logo-service";
import { retryRead } from "@/server/platform/unavailable";
import { mount } from "@/server/transport/http/mount";
import { createContext } from "@/server/transport/trpc/init";

export const dynamic = "force-dynamic";

interface LogoParams {
  params: Promise<{ uid: string; logo: string }>;
}

/** The logo of an organization, for a signed-in member. Another logo has another address. */
async function getLogo(request: Request, { params }: LogoParams): Promise<Response> {
  const { person } = await createContext(request.headers);
  if (!person) return new Response("Sign in first.", { status: 401 });
  const { uid, logo } = await params;
  const bytes = await retryRead(() => readLogo(person, uid, logo));
  if (!bytes) return new Response("There is no such logo.", { status: 404 });
  return new Response(new Uint8Array(bytes), {
    headers: {
      "content-type": "image/png",
      "cache-control": "private, max-age=86400, immutable",
      "x-content-type-options": "nosniff",
    },
  });
}

export const GET = mount(getLogo);
