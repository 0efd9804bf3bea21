import { randomUUID } from "node:crypto";
import { processWide } from "@/server/platform/process-wide";

/** Names this process among all that use the database; numbers of processes are used again, and on each machine. */
export const processId = (): string => processWide("processId", randomUUID);
