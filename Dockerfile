# The image of the server: the programs kibitz and kibitz-shim, and a volume for the database. scripts/image-test tries the last stage.
FROM rust:1.95-slim-trixie AS tools
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev && rm -rf /var/lib/apt/lists/*
RUN cargo install cargo-chef --locked --version 0.1.78
WORKDIR /src

# What the dependencies are: it changes with Cargo.lock and the manifests alone.
FROM tools AS recipe
COPY . .
RUN cargo chef prepare --recipe-path recipe.json

FROM tools AS build
COPY --from=recipe /src/recipe.json recipe.json
# These layers last until a dependency changes.
RUN cargo chef cook --profile dist --locked --package kibitz --recipe-path recipe.json
RUN cargo chef cook --profile shim --locked --package kibitz-shim --recipe-path recipe.json
COPY . .
RUN cargo build --profile dist --locked -p kibitz && cargo build --profile shim --locked -p kibitz-shim

FROM debian:trixie-slim
LABEL org.opencontainers.image.title="kibitz" \
      org.opencontainers.image.description="Hosts matches and bots of Splendor, Azul, Septica, Ioiwari and Buraco" \
      org.opencontainers.image.licenses="MIT"
# Certificates for connections of its own that use TLS, such as those to NATS.
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates && rm -rf /var/lib/apt/lists/*
# The number is part of what the image promises: files of a mounted directory belong to it.
RUN useradd --system --uid 10001 --user-group --create-home --home-dir /data kibitz
COPY --from=build /src/target/dist/kibitz /src/target/shim/kibitz-shim /usr/local/bin/
USER 10001:10001
# The volume holds the database file, which must outlive the container.
WORKDIR /data
VOLUME /data
ENV KIBITZ_LISTEN=0.0.0.0:8080
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s CMD ["kibitz", "healthcheck"]
ENTRYPOINT ["kibitz"]
CMD ["serve"]
