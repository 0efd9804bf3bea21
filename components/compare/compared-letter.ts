/** The letters that stand for the two recordings. */
export type Letter = "A" | "B";
