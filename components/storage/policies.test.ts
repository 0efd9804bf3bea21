import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { corsSnippet, gcsPolicies, iamPolicy, s3Policies } from "./policies";

const place = { bucket: "fleet-robots", prefix: "/yard/a/" };
const find = (policies: { label: string; code: string }[], label: string) =>
  policies.find((each) => each.label === label)?.code ?? "";

describe("a ready policy", () => {
  test("names the bucket, and limits listing and objects to the prefix", () => {
    expect(iamPolicy(place)).toMatchObject({
      Statement: [
        {
          Resource: "arn:aws:s3:::fleet-robots",
          Condition: { StringLike: { "s3:prefix": ["yard/a", "yard/a/*"] } },
        },
        { Action: ["s3:ListBucketMultipartUploads"] },
        { Resource: "arn:aws:s3:::fleet-robots/yard/a/*" },
      ],
    });
    expect(JSON.stringify(iamPolicy({ bucket: "", prefix: "" }))).toContain("arn:aws:s3:::BUCKET/*");
    expect(JSON.parse(find(s3Policies(place, ""), "IAM policy"))).toEqual(iamPolicy(place));
  });

  test("has every permission that a test of a bucket tries", () => {
    for (const permission of [
      "s3:ListBucket",
      "s3:GetObject",
      "s3:PutObject",
      "s3:DeleteObject",
      "s3:AbortMultipartUpload",
      "s3:ListBucketMultipartUploads",
    ])
      expect(JSON.stringify(iamPolicy(place))).toContain(`"${permission}"`);
  });

  test("is one word of a shell, whatever the prefix holds", () => {
    const prefix = `it's $(whoami) "x"`;
    const command = find(s3Policies({ bucket: "b", prefix }, ""), "AWS CLI");
    const document = /--policy-document (.+)$/m.exec(command)?.[1] ?? "";
    const word = execFileSync("sh", ["-c", `printf %s ${document}`], { encoding: "utf8" });
    expect(JSON.parse(word)).toEqual(iamPolicy({ bucket: "b", prefix }));
  });

  test("is text of Terraform, in which a prefix begins no template", () => {
    expect(find(s3Policies({ bucket: "b", prefix: "a/${x}/%{y}" }, ""), "Terraform")).toContain("a/$${x}/%%{y}/*");
  });

  test("is offered for AWS's own tools only where the bucket is at AWS", () => {
    expect(s3Policies(place, "https://minio.example.com").map(({ label }) => label)).toEqual(["IAM policy"]);
    expect(s3Policies(place, "").map(({ label }) => label)).toEqual(["IAM policy", "AWS CLI", "Terraform"]);
    expect(find(gcsPolicies(place), "gcloud")).toContain("gs://fleet-robots");
    expect(find(gcsPolicies(place), "Terraform")).toContain('bucket = "fleet-robots"');
  });
});

test("the snippet for pages of one's own names that origin only", () => {
  expect(JSON.parse(corsSnippet("aws_s3", "https://a.example"))).toMatchObject([
    { AllowedOrigins: ["https://a.example"] },
  ]);
  expect(JSON.parse(corsSnippet("gc_storage", "https://a.example"))).toMatchObject([{ origin: ["https://a.example"] }]);
});
