/** The text of a Markdown file, compiled into the page (`turbopack.rules` in next.config.mjs). */
declare module "*.md" {
  const text: string;
  export default text;
}
