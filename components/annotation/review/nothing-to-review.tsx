import { ButtonLink } from "@/components/kit/button";
import { formatNumber } from "@/components/kit/format";
import { DocsTextLink } from "@/components/product/docs-link";
import { projectHref, type ProjectDetail } from "@/components/projects/query";
import { guideHref } from "@/domain/docs/guides";

const number = (value: number): string => formatNumber(value, 0);

/** What is said where the queue is empty: how much was decided, and how much is still to come. */
export function NothingToReview({
  project,
  hasFilter,
  isDecided,
}: {
  project: ProjectDetail | undefined;
  hasFilter: boolean;
  /** Whether what was decided is listed. */
  isDecided: boolean;
}) {
  if (!project) return null;
  const { accepted_count: accepted, rejected_count: rejected, task_count: total, completed_count: completed } = project;
  const decided = accepted + rejected;
  const share = decided === 0 ? null : formatNumber((accepted / decided) * 100, 0);
  const open = Math.max(0, total - completed);
  return (
    <div className="m-auto flex max-w-120 flex-col items-start gap-4 p-6">
      <div>
        <h2 className="text-section font-semibold">Nothing to review</h2>
        <p className="mt-1 text-body text-muted">
          {isDecided
            ? "Nothing that was decided matches the filter."
            : hasFilter
              ? "Nothing that matches the filter waits for a decision."
              : share === null
                ? "What is submitted appears here."
                : `${number(accepted)} accepted, ${share} % of what was decided.`}
          {project.review === "share" &&
            ` ${project.review_share} % of each batch is looked at; then the rest of it is accepted, or looked at too.`}
          {open > 0 && ` ${number(open)} ${open === 1 ? "task is" : "tasks are"} still to do.`}
        </p>
      </div>
      <div className="flex flex-wrap items-center gap-4">
        <ButtonLink href={projectHref(project.uid)}>{project.name}</ButtonLink>
        <span className="text-table">
          <DocsTextLink href={guideHref("review")}>How results are reviewed</DocsTextLink>
        </span>
      </div>
    </div>
  );
}
