# The image contains the production build; data is in the volume /data.
FROM node:22-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --include=dev
COPY . .
RUN node scripts/bootstrap.mjs

FROM node:22-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json server/platform/database/postgres-binaries.mjs ./
# devDependencies are removed from the file, because --omit=dev retains those that are optional peers, such as Prisma's
# command line. Next compiles nothing at run time. The last step does what PostgreSQL's install script does.
RUN npm pkg delete devDependencies \
  && npm ci --ignore-scripts --omit=dev \
  && rm -r node_modules/@next/swc-* \
  && node -e 'import("/app/postgres-binaries.mjs").then(({ findBinaries, completeBinaries }) => process.exit(completeBinaries(findBinaries()) ? 0 : 1))' \
  && rm postgres-binaries.mjs

FROM node:22-bookworm-slim
WORKDIR /app
COPY --from=dependencies /app ./
COPY --from=build /app/next.config.mjs ./
COPY --from=build /app/public ./public
COPY --from=build /app/prisma/migrations ./prisma/migrations
COPY --from=build /app/dist ./dist
COPY --from=build /app/.next ./.next
RUN mkdir /data && chown node:node /data
USER node
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data MALLOC_ARENA_MAX=1 NEXT_TELEMETRY_DISABLED=1
EXPOSE 3000
VOLUME /data
HEALTHCHECK --start-period=60s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "dist/main.mjs"]
