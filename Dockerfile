# The image that `make dist` makes, for those who build it themselves:
#   docker build -t citewell . && docker run -i --rm citewell
FROM golang:1.26.8 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=dev
RUN CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags "-s -w -X main.version=$VERSION" -o /out/usr/bin/citewell ./cmd/citewell \
 && mkdir -p -m 1777 /out/tmp && mkdir -p /out/var/lib/citewell /out/etc/ssl/certs \
 && cp /etc/ssl/certs/ca-certificates.crt /out/etc/ssl/certs/ \
 && echo 'citewell:x:65532:65532::/var/lib/citewell:/sbin/nologin' >/out/etc/passwd && echo 'citewell:x:65532:' >/out/etc/group \
 && chown 65532:65532 /out/var/lib/citewell && chmod 700 /out/var/lib/citewell

FROM scratch
COPY --from=build /out /
LABEL io.modelcontextprotocol.server.name="io.github.citewell/citewell"
ENV PATH=/usr/bin HOME=/var/lib/citewell XDG_DATA_HOME=/var/lib XDG_CACHE_HOME=/var/lib/citewell/cache
USER 65532:65532
WORKDIR /var/lib/citewell
VOLUME /var/lib/citewell
ENTRYPOINT ["/usr/bin/citewell"]
CMD ["mcp"]
