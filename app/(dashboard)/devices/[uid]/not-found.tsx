import { NotFound } from "@/components/product/page-failure";

export default function DeviceNotFound() {
  return <NotFound noun="device" list={{ label: "Devices", href: "/devices" }} />;
}
