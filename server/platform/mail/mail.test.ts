import pino from "pino";
import { describe, expect, test } from "vitest";
import { jobs } from "@/server/platform/jobs/definitions";
import { escapeHtml } from "@/server/platform/mail/html";
import { invitationMail } from "@/server/platform/mail/invitation";
import { send } from "@/server/platform/mail/jobs";
import { sendMail, sendsMail } from "@/server/platform/mail/send";
import { startMailServer } from "@/server/testing/mail-server";

const invitation = {
  organizationName: "Acme",
  role: "member",
  inviter: "ann",
  link: "https://m.example/invite/abc",
  days: 7,
};

describe("mail", () => {
  test("without a mail server is logged without its content", async () => {
    expect(sendsMail()).toBe(false);
    const lines: string[] = [];
    const log = pino({}, { write: (line: string) => void lines.push(line) });
    const payload = { to: "bob@example.com", ...invitationMail(invitation) };
    const attempt = { jobId: "1", attempt: 1 };
    await send.run(jobs.sendMail.payload.parse(payload), {
      attempt,
      lastAttempt: false,
      signal: new AbortController().signal,
      log,
    });
    expect(lines.join("")).toContain("bob@example.com");
    expect(lines.join("")).not.toContain("invite/abc");
    await expect(sendMail({ to: "bob@example.com", subject: "s", text: "t" })).rejects.toThrow("SMTP_URL");
  });

  test("is sent once to all addresses, with its own headers and without injected ones", async () => {
    const server = await startMailServer();
    try {
      const sent = await sendMail({
        to: ["a@example.com", "b@example.com"],
        subject: "one\r\nBcc: c@example.com",
        text: "plain",
        headers: { "X-Muster-Kind": "test" },
      });
      expect(sent.response).toMatch(/^250/);
      expect(server.received).toMatchObject([{ from: "muster@localhost", to: ["a@example.com", "b@example.com"] }]);
      expect(server.received[0]?.raw).toMatch(/^X-Muster-Kind: test\r$/m);
      expect(server.received[0]?.raw).not.toMatch(/^Bcc:/m);
    } finally {
      await server.close();
    }
  });

  test("of an invitation names the role, and the inviter if there is one", () => {
    expect(invitationMail({ ...invitation, role: "admin", inviter: null }).text).toContain(
      "An administrator invited you to join Acme on Muster as an admin.",
    );
    expect(invitationMail(invitation).text).toContain("ann invited you to join Acme on Muster as a member.");
  });

  test("escapes markup", () => {
    expect(escapeHtml(`<a href="x" id='y'>&</a>`)).toBe("&lt;a href=&quot;x&quot; id=&#39;y&#39;&gt;&amp;&lt;/a&gt;");
  });
});
