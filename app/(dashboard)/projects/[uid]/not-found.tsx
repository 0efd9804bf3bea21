import { NotFound } from "@/components/product/page-failure";

export default function ProjectNotFound() {
  return <NotFound noun="project" list={{ label: "Projects", href: "/projects" }} />;
}
