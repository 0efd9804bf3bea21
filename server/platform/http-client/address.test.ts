import { describe, expect, test } from "vitest";
import { insideRanges, isPublicAddress } from "@/server/platform/http-client/address";

describe("addresses", () => {
  test.each([
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "100.64.0.1",
    "100.100.100.200",
    "127.0.0.1",
    "127.255.255.254",
    "168.63.129.16",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.192",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.1.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::7f00:1",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "::ffff:169.254.169.254",
    "::ffff:0:127.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::a00:1",
    "100::1",
    "2001::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "2002:a00:1::1",
    "3fff::1",
    "5f00::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
    "not an address",
    "",
  ])("%s is not on the public internet", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  test.each(["8.8.8.8", "1.1.1.1", "::ffff:8.8.8.8", "2606:4700:4700::1111", "2a00:1450:4001::200e", "172.32.0.1"])(
    "%s is on the public internet",
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
    },
  );

  test("a permitted range contains its IPv4-mapped addresses and no other addresses of the other family", () => {
    expect(insideRanges("::ffff:127.0.0.1", ["127.0.0.0/8"])).toBe(true);
    expect(insideRanges("10.1.2.3", ["10.0.0.0/8"])).toBe(true);
    expect(insideRanges("11.1.2.3", ["10.0.0.0/8"])).toBe(false);
    expect(insideRanges("::1", ["127.0.0.0/8"])).toBe(false);
    expect(insideRanges("64:ff9b::7f00:1", ["127.0.0.0/8"])).toBe(false);
    expect(insideRanges("fd12::1", ["fd00::/8"])).toBe(true);
  });
});
