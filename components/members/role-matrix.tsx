import { Check } from "lucide-react";
import { Fragment } from "react";
import { None } from "@/components/kit/none";
import { Section } from "@/components/kit/page-header";
import { DocsTextLink } from "@/components/product/docs-link";
import { guideHref } from "@/domain/docs/guides";
import { roleSummary, type RoleLevel, type RoleLine } from "@/domain/organizations/role-summary";

const columns = ["View only", "Member", "Admin", "Owner"] as const;
const firstColumn: Record<RoleLevel, number> = { viewer: 0, member: 1, own: 1, admin: 2, owner: 3 };

function Cell({ from, at }: { from: RoleLevel; at: number }) {
  if (at < firstColumn[from]) return <None />;
  if (from === "own" && at === firstColumn.own) return <>Own</>;
  return (
    <>
      <Check aria-hidden className="mx-auto size-4 text-online" />
      <span className="sr-only">Yes</span>
    </>
  );
}

/** What each role can do, in short. */
export function RoleMatrix() {
  const areas: [string, Record<string, RoleLine>][] = Object.entries(roleSummary);
  return (
    <div
      className="min-h-0 flex-1 overflow-y-auto px-4 pt-4 pb-12 sm:px-6"
      tabIndex={0}
      role="region"
      aria-label="Roles"
    >
      <Section
        title="What the roles can do"
        description="Keys act with the role of whoever made them. “Own” is what a person made, or tasks that are theirs or nobody’s."
      >
        <table className="w-full max-w-220 text-table" aria-label="What the roles can do">
          <thead className="sticky top-0 z-10 bg-surface text-meta text-subtle">
            <tr className="border-b [&>th]:py-2 [&>th]:font-normal">
              <th className="text-left">
                <span className="sr-only">What</span>
              </th>
              {columns.map((column) => (
                <th key={column} scope="col" className="w-24 px-1 max-sm:w-14">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {areas.map(([area, lines]) => (
              <Fragment key={area}>
                <tr>
                  <th scope="rowgroup" colSpan={columns.length + 1} className="pt-5 pb-1 text-left font-semibold">
                    {area}
                  </th>
                </tr>
                {Object.values(lines).map(({ text, from }) => (
                  <tr key={text} className="border-b">
                    <th scope="row" className="py-2 pr-3 text-left font-normal">
                      {text}
                    </th>
                    {columns.map((column, at) => (
                      <td key={column} className="px-1 text-center">
                        <Cell from={from} at={at} />
                      </td>
                    ))}
                  </tr>
                ))}
              </Fragment>
            ))}
          </tbody>
        </table>
        <p className="pt-4">
          <DocsTextLink href={guideHref("roles")}>Every operation by role and scope</DocsTextLink>
        </p>
      </Section>
    </div>
  );
}
