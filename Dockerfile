# The image of the server: the programs kibitz and kibitz-shim, and a volume for the database.
FROM rust:1.95-slim-trixie AS build
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY . .
RUN cargo build --profile dist --locked -p kibitz && cargo build --profile shim --locked -p kibitz-shim

FROM debian:trixie-slim
COPY --from=build /src/target/dist/kibitz /src/target/shim/kibitz-shim /usr/local/bin/
RUN useradd --system --create-home --home-dir /data kibitz
USER kibitz
# The volume holds the database file, which must outlive the container.
WORKDIR /data
VOLUME /data
ENV KIBITZ_LISTEN=0.0.0.0:8080
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s CMD ["kibitz", "healthcheck"]
ENTRYPOINT ["kibitz"]
CMD ["serve"]
