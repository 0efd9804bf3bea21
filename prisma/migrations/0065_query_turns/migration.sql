-- CreateTable
CREATE TABLE "query_turns" (
    "organization_id" TEXT NOT NULL,
    "position" BIGINT,
    "kept_until" TIMESTAMPTZ(3),
    "seen_until" TIMESTAMPTZ(3),
    "holder" TEXT,
    "held_until" TIMESTAMPTZ(3),

    CONSTRAINT "query_turns_pkey" PRIMARY KEY ("organization_id")
);

-- AddForeignKey
ALTER TABLE "query_turns" ADD CONSTRAINT "query_turns_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("uid") ON DELETE CASCADE ON UPDATE CASCADE;
