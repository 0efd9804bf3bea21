"use client";

import { toOptions } from "@/components/kit/options";
import { RadioGroup } from "@/components/kit/radio-group";
import type { DemoChoice } from "@/domain/demo/choice";
import { useDemoChoice } from "./demo-choice";

const options = toOptions<DemoChoice>({ demo: "Demo", yours: "Yours", both: "Both" });

/** Chooses what every list and every count holds. Nothing where there is no demo data. */
export function DemoSwitch({ className }: { className?: string }) {
  const { choice, choose } = useDemoChoice();
  if (choice === null) return null;
  return (
    <RadioGroup
      layout="segments"
      aria-label="What is shown: demo data, yours or both"
      options={options}
      value={choice}
      onValueChange={choose}
      className={className}
    />
  );
}
