import { formatNumber } from "@/components/kit/format";
import type { ProjectDetail } from "./query";

/** Why a project has no tasks. */
export function explainNoTasks({ status, datasets }: Pick<ProjectDetail, "status" | "datasets">): string {
  if (status === "pending-approval") return "No tasks: the project waits for approval.";
  const [items, pending] = [
    datasets.reduce((sum, { item_count: count }) => sum + count, 0),
    datasets.reduce((sum, { pending_count: count }) => sum + count, 0),
  ];
  if (items === 0) return "No tasks: its datasets hold nothing yet.";
  if (pending === 0) return "No tasks yet.";
  const many = pending === 1 ? "its one item is" : `its ${formatNumber(pending, 0)} items are`;
  return `No tasks: ${many} still being read.`;
}

/** Why no annotations can be imported into a project; undefined where they can. */
export function explainNoImport(status: ProjectDetail["status"]): string | undefined {
  if (status === "pending-approval") return "It has no tasks before it is approved.";
  return status === "canceled" || status === "archived" ? `The project is ${status}.` : undefined;
}
