# The image of a release: goreleaser puts the built programs next to this file. To build from source, use Dockerfile.
FROM --platform=$BUILDPLATFORM golang:1.26 AS base
RUN mkdir -p /out/etc/ssl/certs /out/etc/askbridge /out/var/lib/askbridge \
 && cp /etc/ssl/certs/ca-certificates.crt /out/etc/ssl/certs/

FROM scratch
ARG TARGETPLATFORM
LABEL io.modelcontextprotocol.server.name="io.github.askbridge/askbridge"
COPY --from=base --chown=65532:65532 /out /
COPY --chown=65532:65532 $TARGETPLATFORM/askbridge /usr/bin/askbridge
USER 65532:65532
WORKDIR /var/lib/askbridge
VOLUME /var/lib/askbridge
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=10s CMD ["/usr/bin/askbridge", "healthcheck"]
ENTRYPOINT ["/usr/bin/askbridge"]
CMD ["serve", "--config", "/etc/askbridge/askbridge.yaml"]
