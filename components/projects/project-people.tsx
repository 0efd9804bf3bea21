"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Checkbox } from "@/components/kit/checkbox";
import { Combobox } from "@/components/kit/combobox";
import { formatDuration, formatNumber } from "@/components/kit/format";
import { lazyPart } from "@/components/kit/lazy-part";
import { None } from "@/components/kit/none";
import { PageBody, Section } from "@/components/kit/page-header";
import { RadioGroup } from "@/components/kit/radio-group";
import { SkeletonText } from "@/components/kit/skeleton";
import { Truncate } from "@/components/kit/truncate";
import { fullName } from "@/components/organizations/member-names";
import { ErrorState } from "@/components/product/error-state";
import { usePermissions } from "@/components/product/permissions";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient, type Outputs } from "@/components/trpc/client";
import type { ProjectRole } from "@/domain/projects/schema";
import type { ProjectDetail } from "./query";

type Person = NonNullable<Outputs["projects"]["byPerson"]>[number];
type Named = Pick<Person, "user_uid" | "username">;

const ProjectLabelNumbers = lazyPart(async () => (await import("./project-label-numbers")).ProjectLabelNumbers, {
  className: "h-44",
});

const number = (value: number): string => formatNumber(value, 0);

const openOptions = [
  { value: "open" as const, label: "Every member", hint: "Whoever sees the project may label in it." },
  { value: "listed" as const, label: "Annotators only", hint: "Those listed below, and admins." },
];

/** The roles that somebody has after one is given or taken. */
const rolesAfter = (roles: readonly ProjectRole[], role: ProjectRole, isGiven: boolean): ProjectRole[] =>
  isGiven ? [...roles, role] : roles.filter((each) => each !== role);

/** Who labels and reviews in a project, and what they did; admins choose who does. */
export function ProjectPeople({ project }: { project: ProjectDetail }) {
  const { uid, annotators_open: isOpen } = project;
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const reason = usePermissions().refusal({ role: "admin" });
  const query = useQuery(trpc.projects.byPerson.queryOptions({ uid }));
  const change = async (work: Promise<unknown>, failure: string) => {
    try {
      await work;
    } catch (error) {
      toast.failure(error, { title: failure });
    }
    await queryClient.invalidateQueries(trpc.projects.pathFilter());
  };
  const setRoles = ({ user_uid: user, username }: Named, roles: ProjectRole[]) =>
    void change(
      roles.length > 0
        ? client.projects.people.set.mutate({ uid, user, roles })
        : client.projects.people.remove.mutate({ uid, user_uid: user }),
      `The roles of ${username} were not changed`,
    );
  return (
    <PageBody>
      <Section title="Who labels" description={reason}>
        <RadioGroup
          aria-label="Who labels"
          options={openOptions}
          value={isOpen ? "open" : "listed"}
          disabled={reason !== undefined}
          onValueChange={(next) =>
            void change(
              client.projects.update.mutate({ uid, change: { annotators_open: next === "open" } }),
              `${project.name} was not changed`,
            )
          }
        />
      </Section>
      <Section
        title="People"
        description={reason === undefined ? "Admins label and review in every project." : "Admins see everybody here."}
      >
        {query.isError ? (
          <ErrorState title="People could not be loaded" error={query.error} onRetry={() => void query.refetch()} />
        ) : query.data === undefined ? (
          <SkeletonText lines={3} />
        ) : query.data === null ? (
          <p className="text-meta text-muted">There is too much to count here.</p>
        ) : (
          <PeopleTable people={query.data} mayChange={reason === undefined} onRoles={setRoles} />
        )}
        {reason === undefined && query.data && (
          <AddPerson people={query.data} onAdd={(person) => setRoles(person, ["annotator"])} />
        )}
      </Section>
      <ProjectLabelNumbers project={project} />
    </PageBody>
  );
}

const head = "py-1 pr-3 font-normal";
const cell = "py-1.5 pr-3 text-right tabular-nums";

function PeopleTable(props: {
  people: readonly Person[];
  mayChange: boolean;
  onRoles: (person: Person, roles: ProjectRole[]) => void;
}) {
  const { people, mayChange, onRoles } = props;
  if (people.length === 0)
    return <p className="text-table text-muted">{mayChange ? "Nobody yet." : "You did nothing here yet."}</p>;
  return (
    <div className="relative overflow-x-auto">
      <table className="w-full max-w-240 text-table">
        <caption className="sr-only">People of this project</caption>
        <thead className="text-left text-meta text-subtle">
          <tr>
            <th scope="col" className={head}>
              Name
            </th>
            <th scope="col" className={head}>
              Annotator
            </th>
            <th scope="col" className={head}>
              Reviewer
            </th>
            {["To do", "Submitted", "Accepted", "Rejected", "Corrected", "Decided", "Time per task"].map((title) => (
              <th key={title} scope="col" className={`${head} text-right whitespace-nowrap`}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {people.map((person) => (
            <tr key={person.user_uid} className="border-t border-border">
              <th scope="row" className="max-w-0 min-w-32 py-1.5 pr-3 text-left font-normal">
                <Truncate text={person.username} />
                {!person.is_member && <span className="text-meta text-muted">no member any more</span>}
              </th>
              {(["annotator", "reviewer"] as const).map((role) => (
                <td key={role} className="py-1.5 pr-3">
                  <Checkbox
                    aria-label={`${person.username}: ${role}`}
                    checked={person.roles.includes(role)}
                    disabled={!mayChange || !person.is_member}
                    onCheckedChange={(isGiven) => onRoles(person, rolesAfter(person.roles, role, isGiven))}
                  />
                </td>
              ))}
              <td className={cell}>{number(person.held)}</td>
              <td className={cell}>{number(person.submitted)}</td>
              <td className={cell}>{number(person.accepted)}</td>
              <td className={cell}>{number(person.rejected)}</td>
              <td className={cell}>{number(person.corrected)}</td>
              <td className={cell}>{number(person.decided)}</td>
              <td className={`${cell} whitespace-nowrap`}>
                {person.seconds === null ? <None /> : formatDuration(person.seconds * 1_000)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Makes another member an annotator. */
function AddPerson({ people, onAdd }: { people: readonly Person[]; onAdd: (person: Named) => void }) {
  const trpc = useTRPC();
  const [search, setSearch] = useState("");
  const found = useQuery({
    ...trpc.members.list.queryOptions({ limit: 50, ...(search && { search }) }),
    placeholderData: (before) => before,
  });
  const listed = new Set(people.map(({ user_uid: user }) => user));
  const free = (found.data?.results ?? []).filter(({ user_uid: user }) => !listed.has(user));
  return (
    <div className="max-w-80">
      <Combobox
        // Who was added is in the table; the box begins anew.
        key={people.length}
        aria-label="Add an annotator"
        options={free.map((each) => ({ value: each.user_uid, label: fullName(each), hint: each.email }))}
        value={null}
        onValueChange={(user) => {
          const member = free.find((each) => each.user_uid === user);
          if (member) onAdd(member);
        }}
        onSearch={setSearch}
        loading={found.isFetching}
        placeholder="Add an annotator"
        emptyText="No other member with that name"
      />
    </div>
  );
}
