import { rates, type RateChoice } from "./source";

const key = "muster.moments.rate";

/** The rate that was chosen last in this browser; all frames before. */
export function readRate(): RateChoice {
  try {
    const stored = localStorage.getItem(key);
    return rates.find((rate) => rate === stored) ?? "all";
  } catch {
    return "all";
  }
}

/** Keeps a rate; without storage, the next panel begins with all frames. */
export function keepRate(rate: RateChoice): void {
  try {
    localStorage.setItem(key, rate);
  } catch {
    // A browser that stores nothing loses a convenience.
  }
}
