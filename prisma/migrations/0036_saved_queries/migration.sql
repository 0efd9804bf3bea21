-- CreateTable
CREATE TABLE "saved_queries" (
    "uid" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "sql" TEXT NOT NULL,
    "created_by_id" TEXT,
    "created_by_name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "saved_queries_pkey" PRIMARY KEY ("uid")
);

-- CreateIndex
CREATE UNIQUE INDEX "saved_queries_organization_id_name_key" ON "saved_queries"("organization_id", "name");

-- AddForeignKey
ALTER TABLE "saved_queries" ADD CONSTRAINT "saved_queries_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("uid") ON DELETE CASCADE ON UPDATE CASCADE;
