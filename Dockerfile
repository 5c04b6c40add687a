# The server as people deploy it: one program, one volume.
FROM rust:1.95-slim-trixie AS build
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY . .
RUN cargo build --profile dist --locked -p kibitz && cargo build --profile shim --locked -p kibitz-shim

FROM debian:trixie-slim
COPY --from=build /src/target/dist/kibitz /src/target/shim/kibitz-shim /usr/local/bin/
RUN useradd --system --create-home --home-dir /data kibitz
USER kibitz
# The volume holds the database file; a container may be thrown away, the volume may not.
WORKDIR /data
VOLUME /data
ENV KIBITZ_LISTEN=0.0.0.0:8080
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s CMD ["kibitz", "healthcheck"]
ENTRYPOINT ["kibitz"]
CMD ["serve"]
