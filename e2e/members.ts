import { test, expect, type APIRequestContext, type Browser, type Page } from "@playwright/test";
import { openBrowser, signUp, type Api, type Person } from "./fixtures";

/** Opens a page of the organization of `api` as another person, who joins it with the last invitation. */
export async function openAsInvited(browser: Browser, api: Api, guest: Person): Promise<Page> {
  const [organization] = (await api.get<{ results: { slug: string }[] }>("/organizations/")).results;
  const slug = organization?.slug ?? "";
  const [invitation] = (await api.get<{ results: { copy_link: string }[] }>(`/organizations/${slug}/invitations/`))
    .results;
  const context = await openBrowser(browser, guest);
  const token = invitation?.copy_link.split("/").at(-1) ?? "";
  const joined = await context.request.post(`/api/v1/organizations/invitations/${token}/accept/`, {
    headers: { "x-service-api-key": guest.key },
    data: { invited_email: guest.email },
  });
  expect(joined.status()).toBe(201);
  const url = test.info().project.use.baseURL ?? "";
  await context.addCookies([{ name: "muster-organization", value: slug, url }]);
  return context.newPage();
}

/** Opens a page of the organization of `api` as somebody who joined it as a member, or to view only. */
export async function openAsMember(
  browser: Browser,
  request: APIRequestContext,
  api: Api,
  readOnly = false,
): Promise<Page> {
  const guest = await signUp(request);
  const [organization] = (await api.get<{ results: { slug: string }[] }>("/organizations/")).results;
  const invited = { email: guest.email, role: "member", read_only: readOnly };
  await api.post(`/organizations/${organization?.slug ?? ""}/invitations/`, invited);
  return openAsInvited(browser, api, guest);
}
