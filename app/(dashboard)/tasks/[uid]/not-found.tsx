import { NotFound } from "@/components/product/page-failure";

export default function TaskNotFound() {
  return <NotFound noun="task" list={{ label: "Projects", href: "/projects" }} reason="Its item was deleted" />;
}
