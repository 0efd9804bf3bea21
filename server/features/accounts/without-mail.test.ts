import { expect, test } from "vitest";
import { jobs } from "@/server/platform/jobs/definitions";
import { unique } from "@/server/testing/factories";
import { queuedJobs } from "@/server/testing/queued-jobs";
import { request, trpcSignedOut } from "@/server/testing/requests";

test("without a mail server no password is reset by mail, and accounts need not confirm their address", async () => {
  const email = `${unique("new")}@example.com`;
  const { body } = await request<{ api_key: string }>("POST", "/signup/", { body: { email, password: "long enough" } });
  await expect(trpcSignedOut().account.requestPasswordReset({ email })).rejects.toMatchObject({
    code: "CONFLICT",
    message: "No mail can be sent from this installation.",
  });
  expect(await queuedJobs(jobs.mailAccountLink, { email })).toEqual([]);
  expect(await trpcSignedOut().account.signUpPolicy()).toMatchObject({ sends_mail: false });
  const channel = { name: unique("mail"), type: "email", config: { recipients: ["ops@example.com"] } };
  const created = await request("POST", "/fleet/alerts/channels/", { key: body.api_key, body: channel });
  expect(created.status).toBe(201);
});
