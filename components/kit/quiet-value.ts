"use client";

import { useEffect, useState } from "react";

/** A value as it is once it has not changed for `ms` milliseconds, for requests about what is being typed. */
export function useQuietValue<Value>(value: Value, ms: number): Value {
  const [quiet, setQuiet] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setQuiet(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return quiet;
}
