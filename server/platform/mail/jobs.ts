import { jobs } from "@/server/platform/jobs/definitions";
import { handle } from "@/server/platform/jobs/handler";
import { sendOrLog } from "@/server/platform/mail/send";

/** Sends the mail that an earlier version queued. */
export const send = handle(jobs.sendMail, async (mail, { log }) => sendOrLog(mail, log));
