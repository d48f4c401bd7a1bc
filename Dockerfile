# The browser host in a container: Node without a shell, as a user without rights. It listens on
# 127.0.0.1 only, so it is run in the network of the machine. "In a container" in
# docs/guide/hosts.md has the commands.

# A distroless image of Node 24, named with its tag and digest: NAME:TAG@sha256:DIGEST. Its entry
# point is Node.
ARG RUNTIME
FROM ${RUNTIME}

# `npm pack` makes the file, which unpacks into the folder "package".
ADD bridge-inspector-*.tgz /opt/
WORKDIR /opt/package
USER 65532:65532
EXPOSE 4180
CMD ["out/serve/serve.js", "--no-open", "--port", "4180", "--data-dir", "/tmp/bridge-inspector"]
