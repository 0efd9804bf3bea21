import type { ComponentType } from "react";
import type { ConditionType } from "@/domain/conditions/registry";
import { AbsenceForm } from "./absence";
import { CompositeForm } from "./composite";
import type { ConditionFormProps } from "./form";
import { FrequencyForm } from "./frequency";
import { PatternForm } from "./pattern";
import { RateForm } from "./rate";
import { ThresholdForm } from "./threshold";

/** The fields of each type of condition in the builder. */
export const conditionForms: Record<ConditionType, ComponentType<ConditionFormProps>> = {
  threshold: ThresholdForm,
  rate: RateForm,
  pattern: PatternForm,
  frequency: FrequencyForm,
  absence: AbsenceForm,
  composite: CompositeForm,
};
