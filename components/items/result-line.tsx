import { RelativeTime } from "@/components/kit/time";
import type { Outputs } from "@/components/trpc/client";

type Result = NonNullable<Outputs["items"]["annotations"]>;

/** Where a result is from and what became of it: "Yard crossings, accepted, by Ana 3 h ago". */
export const ResultLine = ({ result }: { result: Result }) => (
  <>
    {result.project_name}, {result.status}, by {result.submitted_by || "an agent"}{" "}
    <RelativeTime value={result.created_at} rich={false} />
  </>
);
