import { person, type Product } from "@/bench/product";

/** Signs in as a browser does. Resolves to the cookies of the session. */
export async function signIn({ url }: Product): Promise<string> {
  const jar = new Map<string, string>();
  const send = async (at: string, form?: Record<string, string>): Promise<Response> => {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(`${url}${at}`, {
      redirect: "manual",
      headers: { cookie, "sec-fetch-site": "same-origin" },
      ...(form && { method: "POST", body: new URLSearchParams(form) }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      jar.set(name, value);
    }
    return response;
  };
  const { csrfToken } = (await (await send("/api/auth/csrf")).json()) as { csrfToken: string };
  const response = await send("/api/auth/callback/credentials", { ...person, csrfToken, json: "true" });
  await response.body?.cancel();
  const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
  if (!cookie.includes("session-token")) throw new Error(`signing in responded ${response.status}`);
  return cookie;
}
