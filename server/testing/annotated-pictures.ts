import type { ItemResource } from "@/server/features/datasets/resource";
import type { ProjectResource } from "@/server/features/projects/resource";
import type { ResultResource, TaskResource } from "@/server/features/tasks/resource";
import type { Page } from "@/server/platform/pagination";
import { pictures } from "@/server/testing/datasets";
import { addMember, unique, type TestOrganization } from "@/server/testing/factories";
import { requestsWith } from "@/server/testing/requests";

export const box = { label: "car", type: "bbox", coordinates: { x: 16, y: 12, width: 32, height: 24 } };
export const shape = {
  label: "person",
  type: "polygon",
  coordinates: {
    points: [
      [0, 0],
      [32, 0],
      [32, 48],
    ],
  },
};

const labels = [
  { name: "person", color: "#00ff00" },
  { name: "car", color: "#ff0000" },
];

/**
 * Creates a dataset of pictures (64 × 48) and a project with an accepted result of the first, which holds `accepted`, and
 * a rejected of the second. `submit` submits another of a picture.
 */
export async function annotatedPictures(org: TestOrganization, acceptedOnes: readonly unknown[], count = 3) {
  const call = requestsWith(() => org.key);
  const dataset = await pictures(org, count);
  const project = (
    await call<ProjectResource>("POST", "/projects/", {
      name: unique("p"),
      task_type: "image-annotation",
      datasets: [dataset.uid],
      labels,
    })
  ).body;
  await call("POST", `/projects/${project.uid}/approve/`);
  const tasks = (await call<Page<TaskResource>>("GET", `/tasks/?project=${project.uid}`)).body.results.toReversed();
  const reviewer = await addMember(org, "admin");
  const submit = async (at: number, annotations: readonly unknown[], decision?: "accept" | "reject") => {
    const result = (await call<ResultResource>("POST", `/tasks/${tasks[at]?.uid}/results/`, { annotations })).body;
    if (decision) await call("POST", `/results/${result.uid}/${decision}/`, {}, reviewer.key);
    return result;
  };
  const accepted = await submit(0, acceptedOnes, "accept");
  await submit(1, [box], "reject");
  const items = (await call<Page<ItemResource>>("GET", `/datasets/${org.slug}/${dataset.slug}/items/?ordering=key`))
    .body.results;
  return { dataset, project, accepted, items, labels, submit };
}
