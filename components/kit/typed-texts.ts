"use client";

import { useEffect } from "react";
import { readDraft, removeDraft, writeDraft } from "./draft-storage";
import { leave } from "./leaving";

/** Keeps what stands in the fields of a page over a reload that Muster itself asks for. */

type Field = HTMLInputElement | HTMLTextAreaElement;

interface TypedText {
  /** How the field is found again: its name or label, and its place among those of the same. */
  field: string;
  text: string;
}

const draftKey = "typed texts";
/** Secrets, and the boxes of lists that open while one types, are not kept. */
const fields = `input:is([type=text], [type=search], [type=email], [type=url], [type=number], :not([type])):not([role=combobox]), textarea`;
const isSecret = (field: Field): boolean =>
  field.dataset.secret !== undefined || /password|one-time-code/.test(field.autocomplete);

/** The fields that a person typed into since the page was opened. */
const typed = new Set<Field>();

function name(field: Field): string {
  return field.name || field.getAttribute("aria-label") || field.labels?.[0]?.textContent || field.placeholder;
}

/** Every field of the page by the name that it is found by again. */
function listFields(): Map<string, Field> {
  const counts = new Map<string, number>();
  const found = new Map<string, Field>();
  for (const field of document.querySelectorAll<Field>(fields)) {
    const count = counts.get(name(field)) ?? 0;
    counts.set(name(field), count + 1);
    found.set(`${name(field)} ${count}`, field);
  }
  return found;
}

/** Loads the page anew, where nothing unsaved holds it back; what was typed into its fields stands there again. */
export function reloadPage(): void {
  leave(() => {
    const texts = [...listFields()].flatMap(([field, element]): TypedText[] =>
      typed.has(element) && !isSecret(element) ? [{ field, text: element.value }] : [],
    );
    writeDraft(draftKey, { path: location.pathname, texts });
    location.reload();
  });
}

const isText = (value: unknown): value is TypedText =>
  typeof value === "object" &&
  value !== null &&
  "field" in value &&
  typeof value.field === "string" &&
  "text" in value &&
  typeof value.text === "string";

/** What was kept for this page, which it is only once. */
function takeKept(): Map<string, string> {
  const value = readDraft(draftKey)?.value;
  removeDraft(draftKey);
  if (typeof value !== "object" || value === null || !("path" in value) || !("texts" in value)) return new Map();
  if (value.path !== location.pathname || !Array.isArray(value.texts)) return new Map();
  return new Map(value.texts.filter(isText).map(({ field, text }) => [field, text]));
}

/** Writes a text as a person does, so that React hears of it. */
function write(field: Field, text: string): void {
  const owner = field instanceof HTMLTextAreaElement ? HTMLTextAreaElement.prototype : HTMLInputElement.prototype;
  Object.getOwnPropertyDescriptor(owner, "value")?.set?.call(field, text);
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

/** Notes what is typed, and puts back what was kept, as fields appear; once in the layout of all pages. */
export function useTypedTexts(): void {
  useEffect(() => {
    const onInput = ({ target }: Event) => {
      if (!(target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement)) return;
      for (const field of typed) if (!field.isConnected) typed.delete(field);
      typed.add(target);
    };
    document.addEventListener("input", onInput);
    const kept = takeKept();
    const { pathname } = location;
    const restore = () => {
      if (location.pathname !== pathname) kept.clear();
      const present = kept.size === 0 ? null : listFields();
      for (const [field, element] of present ?? []) {
        const text = kept.get(field);
        // A field that React has not taken over yet would be overwritten by it.
        if (text === undefined || !Object.keys(element).some((key) => key.startsWith("__react"))) continue;
        kept.delete(field);
        if (element.value !== text) write(element, text);
      }
      if (kept.size === 0) observer.disconnect();
    };
    const observer = new MutationObserver(restore);
    observer.observe(document.body, { childList: true, subtree: true });
    restore();
    return () => {
      observer.disconnect();
      document.removeEventListener("input", onInput);
    };
  }, []);
}
