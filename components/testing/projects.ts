import type { ProjectDetail } from "@/components/projects/query";
import type { Outputs } from "@/components/trpc/client";

/** A project as its page shows it: active, half done, without labels. */
export const makeProject = (given: Partial<ProjectDetail> = {}): ProjectDetail => ({
  uid: "018f0000-0000-7000-8000-000000000001",
  name: "Yard crossings",
  task_type: "image-annotation",
  status: "active",
  access: "organization",
  visibility: "private",
  short_description: "Robots and carts at the gates",
  quality_target: { metric: "acceptance_rate", threshold: 0.95 },
  annotators_open: true,
  review: "all",
  review_share: 100,
  task_count: 250,
  completed_count: 120,
  accepted_count: 80,
  rejected_count: 20,
  skipped_count: 0,
  member_count: 0,
  created_by_uid: null,
  created_by: "ana",
  created_at: "2026-02-02T09:00:00.000Z",
  updated_at: "2026-02-03T09:00:00.000Z",
  demo: false,
  labels: [],
  guide: "",
  datasets: [
    {
      uid: "018f0000-0000-7000-8000-000000000001",
      name: "Yard",
      slug: "yard",
      owner_name: "acme",
      item_count: 250,
      pending_count: 0,
    },
  ],
  slices: [],
  steps: [{ status: "active", by: "ben", at: "2026-02-02T10:00:00.000Z" }],
  ...given,
});

/** The same as a change of it answers. */
export const makeProjectResource = (project: ProjectDetail): Outputs["projects"]["step"] => ({
  ...project,
  is_active: project.status === "active",
  is_imported: false,
  owner_name: "acme",
  industry_icon: "",
  datasets: project.datasets.map(({ uid }) => uid),
  slices: project.slices.map(({ uid }) => uid),
  completed_task_count: project.completed_count,
  superseded_count: 0,
});
