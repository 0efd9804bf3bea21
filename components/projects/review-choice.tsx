"use client";

import { RadioGroup } from "@/components/kit/radio-group";
import { Select } from "@/components/kit/select";
import type { ProjectDetail } from "./query";

type Review = Pick<ProjectDetail, "review" | "review_share">;

const options = [
  {
    value: "all" as const,
    label: "Reviewers decide",
    hint: "Each result is accepted or rejected by somebody who did not make it.",
  },
  {
    value: "share" as const,
    label: "Reviewers decide a share",
    hint: "Some of each batch, chosen by chance; if they are good enough, the rest is accepted, else it is looked at too.",
  },
  {
    value: "none" as const,
    label: "No review",
    hint: "For who works alone: results are accepted when they are submitted.",
  },
];
const shares = [1, 2, 5, 10, 20, 30, 50, 75];

/** Which results of a project reviewers decide. */
export function ReviewChoice(props: {
  value: Review;
  onChange: (change: Partial<Review>) => void;
  disabled?: boolean;
}) {
  const { value, onChange, disabled = false } = props;
  const { review, review_share: share } = value;
  // One that was set by the API is kept.
  const known = [...new Set([...shares, share])].toSorted((a, b) => a - b);
  return (
    <div className="flex flex-col gap-3">
      <RadioGroup
        aria-label="Review"
        options={options}
        value={review}
        disabled={disabled}
        onValueChange={(next) =>
          onChange({ review: next, ...(next === "share" && share === 100 && { review_share: 20 }) })
        }
      />
      {review === "share" && (
        <Select
          aria-label="Share that reviewers decide"
          options={known.map((each) => ({ value: String(each), label: `${each} % of the results` }))}
          value={String(share)}
          disabled={disabled}
          onValueChange={(next) => onChange({ review_share: Number(next) })}
        />
      )}
    </div>
  );
}
