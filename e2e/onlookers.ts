import { request, type APIRequestContext, type Cookie } from "@playwright/test";
import { createApi, expect, signIn, signUp, test, type Api, type Person } from "./fixtures";

/** The session of the one organization that all tests of this worker process look at. */
interface Session {
  person: Person;
  cookies: Cookie[];
}

let founding: Promise<Person> | undefined;
let session: Session | undefined;

async function withRequests<T>(work: (requests: APIRequestContext) => Promise<T>): Promise<T> {
  const requests = await request.newContext({ baseURL: test.info().project.use.baseURL });
  try {
    return await work(requests);
  } finally {
    await requests.dispose();
  }
}

const onlooker = (): Promise<Person> => (founding ??= withRequests((requests) => signUp(requests)));

/**
 * What tests of `onlookers` look at, such as a processed recording: made in their organization when the first of them
 * asks. A test that changes it would change it for the others, so none may.
 */
export function once<T>(make: (api: Api, request: APIRequestContext) => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= withRequests(async (requests) => make(createApi(requests, await onlooker()), requests)));
}

/** The procedures of a request that changes something: what only reads is asked for by GET. */
const listChanges = (method: string, address: string): string[] =>
  method === "POST" ? (/\/api\/trpc\/([\w.,]+)/.exec(address)?.[1]?.split(",") ?? []) : [];

function refuse(): never {
  throw new Error("An onlooker changes nothing: `test` has an organization of its own.");
}

/**
 * For tests that look at what `once` made and change nothing on the server, which fails them: others look at it, too.
 * `changes` are those that the page asked for.
 */
export const onlookers = test.extend<{ changes: string[] }>({
  person: async ({}, use) => use(await onlooker()),
  api: async ({ api }, use) => use({ get: api.get, post: refuse, patch: refuse, delete: refuse }),
  signedIn: async ({ context, person }, use) => {
    if (session?.person === person) await context.addCookies(session.cookies);
    else {
      await signIn(context, person);
      session = { person, cookies: await context.cookies() };
    }
    await use();
  },
  changes: async ({}, use) => {
    const changes: string[] = [];
    await use(changes);
    expect(changes, "changes by an onlooker").toEqual([]);
  },
  page: async ({ page, changes }, use) => {
    page.on("request", (sent) => changes.push(...listChanges(sent.method(), sent.url())));
    await use(page);
  },
});
