-- CreateTable
CREATE TABLE "layouts" (
    "uid" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "owner_id" TEXT,
    "name" TEXT NOT NULL,
    "tree" JSONB NOT NULL,
    "default_for" TEXT,
    "created_by_name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "layouts_pkey" PRIMARY KEY ("uid")
);

-- CreateTable
CREATE TABLE "layout_uses" (
    "organization_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "device_type" TEXT NOT NULL,
    "layout_id" TEXT,
    "used_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "layout_uses_pkey" PRIMARY KEY ("organization_id","user_id","device_type")
);

-- CreateIndex
CREATE INDEX "layouts_organization_id_name_uid_idx" ON "layouts"("organization_id", "name", "uid");

-- CreateIndex
CREATE INDEX "layouts_owner_id_idx" ON "layouts"("owner_id");

-- CreateIndex
CREATE UNIQUE INDEX "layouts_organization_id_owner_id_name_key" ON "layouts"("organization_id", "owner_id", "name");

-- CreateIndex
CREATE UNIQUE INDEX "layouts_organization_id_default_for_key" ON "layouts"("organization_id", "default_for");

-- CreateIndex
CREATE INDEX "layout_uses_user_id_idx" ON "layout_uses"("user_id");

-- CreateIndex
CREATE INDEX "layout_uses_layout_id_idx" ON "layout_uses"("layout_id");

-- AddForeignKey
ALTER TABLE "layouts" ADD CONSTRAINT "layouts_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "layouts" ADD CONSTRAINT "layouts_owner_id_fkey" FOREIGN KEY ("owner_id") REFERENCES "users"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "layout_uses" ADD CONSTRAINT "layout_uses_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "layout_uses" ADD CONSTRAINT "layout_uses_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "layout_uses" ADD CONSTRAINT "layout_uses_layout_id_fkey" FOREIGN KEY ("layout_id") REFERENCES "layouts"("uid") ON DELETE CASCADE ON UPDATE CASCADE;
