/** What a ready policy is made of; what was not typed yet stands in capitals. */
export interface PolicyPlace {
  bucket: string;
  prefix: string;
}

export interface Policy {
  label: string;
  code: string;
}

const trimmed = (prefix: string): string => prefix.replace(/^\/+|\/+$/g, "");
const filled = ({ bucket, prefix }: PolicyPlace) => ({ bucket: bucket || "BUCKET", prefix: trimmed(prefix) });
/** A text as a word of a POSIX shell. */
const quoted = (text: string): string => (/^[\w./@:-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);
/** A text in quotes in Terraform's language, where `${` and `%{` begin a template. */
const hcl = (text: string): string => JSON.stringify(text).replace(/([$%])\{/g, "$1$1{");
const identifier = (bucket: string): string => bucket.replace(/[^a-z0-9-]/gi, "-").toLowerCase();

/** The policy of IAM for everything that Muster does in the bucket, below its prefix. */
export function iamPolicy(place: PolicyPlace): Record<string, unknown> {
  const { bucket, prefix } = filled(place);
  const arn = `arn:aws:s3:::${bucket}`;
  const below = prefix === "" ? {} : { Condition: { StringLike: { "s3:prefix": [prefix, `${prefix}/*`] } } };
  return {
    Version: "2012-10-17",
    Statement: [
      { Sid: "MusterList", Effect: "Allow", Action: ["s3:ListBucket"], Resource: arn, ...below },
      { Sid: "MusterListUploads", Effect: "Allow", Action: ["s3:ListBucketMultipartUploads"], Resource: arn },
      {
        Sid: "MusterObjects",
        Effect: "Allow",
        Action: ["s3:GetObject", "s3:PutObject", "s3:DeleteObject", "s3:AbortMultipartUpload"],
        Resource: `${arn}/${prefix === "" ? "*" : `${prefix}/*`}`,
      },
    ],
  };
}

const iamText = (place: PolicyPlace): string => JSON.stringify(iamPolicy(place), null, 2);

/** Ready to use for a bucket of S3. A store at an endpoint of its own is not managed by AWS's tools. */
export function s3Policies(place: PolicyPlace, endpoint: string): Policy[] {
  const { bucket } = filled(place);
  const user = `muster-${identifier(bucket)}`;
  const json = { label: "IAM policy", code: iamText(place) };
  if (endpoint.trim() !== "") return [json];
  return [
    json,
    {
      label: "AWS CLI",
      code: [
        `aws iam create-user --user-name ${quoted(user)}`,
        `aws iam put-user-policy --user-name ${quoted(user)} --policy-name muster \\`,
        `  --policy-document ${quoted(JSON.stringify(iamPolicy(place)))}`,
        `aws iam create-access-key --user-name ${quoted(user)}`,
      ].join("\n"),
    },
    {
      label: "Terraform",
      code: [
        `resource "aws_iam_user" "muster" {`,
        `  name = ${hcl(user)}`,
        `}`,
        ``,
        `resource "aws_iam_user_policy" "muster" {`,
        `  name   = "muster"`,
        `  user   = aws_iam_user.muster.name`,
        `  policy = <<-POLICY`,
        ...iamText(place)
          .replace(/([$%])\{/g, "$1$1{")
          .split("\n")
          .map((line) => `    ${line}`),
        `  POLICY`,
        `}`,
        ``,
        `resource "aws_iam_access_key" "muster" {`,
        `  user = aws_iam_user.muster.name`,
        `}`,
      ].join("\n"),
    },
  ];
}

/** Ready to use for a bucket of Google Cloud Storage: its role holds for the whole bucket, with every prefix. */
export function gcsPolicies(place: PolicyPlace): Policy[] {
  const { bucket } = filled(place);
  return [
    {
      label: "gcloud",
      code: [
        `gcloud iam service-accounts create muster --display-name=Muster`,
        `gcloud storage buckets add-iam-policy-binding ${quoted(`gs://${bucket}`)} \\`,
        `  --member="serviceAccount:muster@$(gcloud config get-value project).iam.gserviceaccount.com" \\`,
        `  --role=roles/storage.objectUser`,
        `gcloud iam service-accounts keys create muster-key.json \\`,
        `  --iam-account="muster@$(gcloud config get-value project).iam.gserviceaccount.com"`,
      ].join("\n"),
    },
    {
      label: "Terraform",
      code: [
        `resource "google_service_account" "muster" {`,
        `  account_id   = "muster"`,
        `  display_name = "Muster"`,
        `}`,
        ``,
        `resource "google_storage_bucket_iam_member" "muster" {`,
        `  bucket = ${hcl(bucket)}`,
        `  role   = "roles/storage.objectUser"`,
        `  member = google_service_account.muster.member`,
        `}`,
        ``,
        `resource "google_service_account_key" "muster" {`,
        `  service_account_id = google_service_account.muster.name`,
        `}`,
      ].join("\n"),
    },
  ];
}

/** What a bucket needs where a page of another origin uploads to it; Muster's own pages need nothing. */
export function corsSnippet(provider: "aws_s3" | "gc_storage", origin: string): string {
  const rules =
    provider === "aws_s3"
      ? [
          {
            AllowedOrigins: [origin],
            AllowedMethods: ["GET", "PUT"],
            AllowedHeaders: ["*"],
            ExposeHeaders: ["ETag"],
          },
        ]
      : [
          {
            origin: [origin],
            method: ["GET", "PUT"],
            responseHeader: ["Content-Type", "ETag", "x-goog-content-length-range"],
            maxAgeSeconds: 3600,
          },
        ];
  return JSON.stringify(rules, null, 2);
}
