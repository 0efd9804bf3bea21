import { longerThan } from "@/domain/field-messages";
import { text } from "@/domain/fields";
import { maxFilterLength, parseFilter } from "@/domain/items/filter";
import { FilterError } from "@/domain/items/filter-tokens";

/** A valid filter; blank matches everything. */
export const filterText = () =>
  text(maxFilterLength).superRefine((value, issues) => {
    if (longerThan(value, maxFilterLength)) return;
    try {
      parseFilter(value);
    } catch (error) {
      if (!(error instanceof FilterError)) throw error;
      issues.addIssue({ code: "custom", message: `${error.message}.` });
    }
  });
