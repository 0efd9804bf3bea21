import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { NextApiRequest, NextApiResponse } from "next";
import NextAuthModule from "next-auth";
import { env } from "@/server/platform/env";
import { compose } from "@/server/testing/composition";
import { listenOnLoopback } from "@/server/testing/listening";
import { createWebServer } from "@/server/transport/http/http-server";

// next-auth is CommonJS, whose default export differs between bundlers.
const NextAuth = (NextAuthModule as unknown as { default?: typeof NextAuthModule }).default ?? NextAuthModule;

const parseCookies = (header: string | undefined): Record<string, string> =>
  Object.fromEntries(
    (header ?? "")
      .split("; ")
      .filter(Boolean)
      .map((pair) => [pair.slice(0, pair.indexOf("=")), decodeURIComponent(pair.slice(pair.indexOf("=") + 1))]),
  );

/** Answers a request for sign-in as the page's route does, without Next. */
async function handleSignIn(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const url = new URL(incoming.url ?? "/", env.PUBLIC_URL);
  if (!url.pathname.startsWith("/api/auth/")) {
    outgoing.end("a page");
    return;
  }
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const request = Object.assign(incoming, {
    query: { ...Object.fromEntries(url.searchParams), nextauth: url.pathname.split("/").slice(3) },
    cookies: parseCookies(incoming.headers.cookie),
    body: Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString())),
    env: {},
  });
  const response = Object.assign(outgoing, {
    status: (code: number) => Object.assign(outgoing, { statusCode: code }),
    send: (body: unknown) => outgoing.end(typeof body === "string" ? body : JSON.stringify(body)),
    json: (body: unknown) => outgoing.setHeader("content-type", "application/json").end(JSON.stringify(body)),
  });
  const headers = new Headers({ "x-muster-client": "127.0.0.1", "user-agent": incoming.headers["user-agent"] ?? "" });
  const { getAuthOptions } = await compose("sign-in");
  await NextAuth(request as NextApiRequest, response as unknown as NextApiResponse, getAuthOptions(headers));
}

/** Serves sign-in behind the guard of every entry until the tests of the file end. Returns its address. */
export async function serveSignIn(): Promise<string> {
  const { server } = createWebServer(await compose("rest-app"), handleSignIn);
  await listenOnLoopback(server);
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  process.env.NEXTAUTH_URL = address;
  return address;
}

/** A browser as far as signing in needs one: cookies by host, and redirects one at a time. */
export class SignInBrowser {
  private readonly jars = new Map<string, Map<string, string>>();

  jar(url: string): Map<string, string> {
    const { host } = new URL(url);
    const jar = this.jars.get(host) ?? new Map<string, string>();
    this.jars.set(host, jar);
    return jar;
  }

  cookieHeader = (url: string): string => [...this.jar(url)].map(([name, value]) => `${name}=${value}`).join("; ");

  /** One request, whose redirect is not followed. */
  async send(url: string, form?: Record<string, string>): Promise<Response> {
    const response = await fetch(url, {
      method: form ? "POST" : "GET",
      redirect: "manual",
      headers: { cookie: this.cookieHeader(url), ...(form && { "sec-fetch-site": "same-origin" }) },
      ...(form && { body: new URLSearchParams(form) }),
    });
    for (const header of response.headers.getSetCookie()) {
      const pair = header.split(";", 1)[0] ?? "";
      const [name, value] = [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)];
      if (value === "" || /max-age=0|expires=Thu, 01 Jan 1970/i.test(header)) this.jar(url).delete(name);
      else this.jar(url).set(name, value);
    }
    return response;
  }

  /** Presses the button: where the browser is sent. */
  async start(app: string, callbackUrl: string): Promise<string> {
    const { csrfToken } = (await (await this.send(`${app}/api/auth/csrf`)).json()) as { csrfToken: string };
    const response = await this.send(`${app}/api/auth/signin/oidc`, { csrfToken, callbackUrl, json: "true" });
    return ((await response.json()) as { url: string }).url;
  }

  /** Follows redirects until one leads to a path that begins like this; returns its address without requesting it. */
  async follow(url: string, until: string): Promise<string> {
    let next = url;
    for (let hops = 0; hops < 10 && !next.startsWith(until); hops++) {
      const location = (await this.send(next)).headers.get("location");
      if (location === null) throw new Error(`no redirect at ${next}`);
      next = new URL(location, next).href;
    }
    return next;
  }
}
