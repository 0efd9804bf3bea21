import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { jobs } from "@/server/platform/jobs/definitions";
import { addMember, makeOrganization, testPassword } from "@/server/testing/factories";
import { startMailServer, type MailServer } from "@/server/testing/mail-server";
import { queuedJobs, runQueuedJobs } from "@/server/testing/queued-jobs";
import { createTrpcCaller, trpcSignedOut } from "@/server/testing/requests";
import { authorizeStep, awaitingCookie, setUpSecondFactor } from "@/server/testing/second-factor";

let mail: MailServer;
beforeAll(async () => {
  mail = await startMailServer();
});
afterAll(() => mail.close());

const decodeContent = (raw: string) => raw.replaceAll("=\r\n", "").replaceAll("=3D", "=");

/** The texts of the notices that were mailed to an address, in order. */
async function readNotices(user: { uid: string; email: string }): Promise<string[]> {
  await runQueuedJobs(jobs.mailAccountNotice, { userId: user.uid });
  return mail.received
    .filter(({ to, raw }) => to.includes(user.email) && raw.includes("Subject: How you sign in to Muster was changed"))
    .map(({ raw }) => decodeContent(raw));
}

describe("a mail informs a person", () => {
  test("that their password was changed, or replaced by a link", async () => {
    const own = await makeOrganization();
    const member = await addMember(own);
    const changed = { current_password: testPassword, new_password: "a longer one for tests" };
    await createTrpcCaller(own, member).account.changePassword(changed);
    const anyone = trpcSignedOut();
    await anyone.account.requestPasswordReset({ email: member.email });
    await runQueuedJobs(jobs.mailAccountLink, { email: member.email });
    const link = mail.received.filter(({ to }) => to.includes(member.email)).map(({ raw }) => decodeContent(raw));
    const token = /\/reset-password\/([\w-]{43})/.exec(link.join())?.[1] ?? "";
    await anyone.account.resetPassword({ token, password: "another long one" });
    const notices = await readNotices(member);
    expect(notices).toHaveLength(2);
    for (const notice of notices) expect(notice).toContain("The password of your Muster account was changed.");
  });

  test("that their second factor was turned on, replaced by a recovery code, or turned off", async () => {
    const own = await makeOrganization();
    const member = await addMember(own);
    const { recoveryCodes } = await setUpSecondFactor(own, member);
    const step = await authorizeStep("credentials", { email: member.email, password: testPassword });
    if (!step) throw new Error("the password was refused");
    const [first = "", second = "", third = ""] = recoveryCodes;
    await authorizeStep("second-factor", { code: first }, { cookie: await awaitingCookie(step) });
    const { secondFactor } = createTrpcCaller(own, member);
    const { recovery_codes: renewed } = await secondFactor.renewCodes({ password: testPassword, code: second });
    await secondFactor.disable({ password: testPassword, code: renewed[0] ?? third });
    expect(
      (await readNotices(member)).map(
        (text) => /was turned on|was used in|were renewed|was turned off/.exec(text)?.[0],
      ),
    ).toEqual(["was turned on", "was used in", "were renewed", "was turned off"]);
  });

  test("of no change that was refused", async () => {
    const own = await makeOrganization();
    const member = await addMember(own);
    const refused = { current_password: "not it", new_password: "a longer one for tests" };
    await expect(createTrpcCaller(own, member).account.changePassword(refused)).rejects.toThrow();
    expect(await queuedJobs(jobs.mailAccountNotice, { userId: member.uid })).toEqual([]);
  });
});
